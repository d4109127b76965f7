import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  SetQueueAttributesCommand,
} from "@aws-sdk/client-sqs";
import type { Identity } from "../template/intrinsics.ts";
import type { StackResource } from "../template/template.ts";
import { type ProvisionContext, physicalName } from "./provision-context.ts";

const copiedAttributes = [
  "VisibilityTimeout",
  "DelaySeconds",
  "MessageRetentionPeriod",
  "ReceiveMessageWaitTimeSeconds",
  "MaximumMessageSize",
] as const;

/** Creates a queue. An existing queue keeps its messages and gets the current attributes. */
export async function provisionQueue(
  stackResource: StackResource,
  properties: Record<string, unknown>,
  { clients: { sqs } }: ProvisionContext,
): Promise<Identity> {
  const name = String(properties.QueueName ?? physicalName(stackResource));
  const attributes: Record<string, string> = {};
  for (const attribute of copiedAttributes) {
    if (properties[attribute] !== undefined) attributes[attribute] = String(properties[attribute]);
  }
  if (properties.RedrivePolicy !== undefined) attributes.RedrivePolicy = JSON.stringify(properties.RedrivePolicy);
  const { QueueUrl: url } = await sqs
    .send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }))
    .catch(async (error: Error) => {
      if (!/QueueNameExists|QueueAlreadyExists/.test(error.name)) throw error;
      const existing = await sqs.send(new GetQueueUrlCommand({ QueueName: name }));
      await sqs.send(new SetQueueAttributesCommand({ QueueUrl: existing.QueueUrl, Attributes: attributes }));
      return existing;
    });
  const request = { QueueUrl: url, AttributeNames: ["QueueArn" as const] };
  const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand(request));
  if (!url || !Attributes.QueueArn) throw new Error(`The queue ${name} has no URL or ARN.`);
  return { ref: url, attributes: { Arn: Attributes.QueueArn, QueueName: name, QueueUrl: url } };
}
