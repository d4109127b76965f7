import { GetQueueAttributesCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { callScopePlugin } from "../kernel/call-scope.ts";
import { allDone } from "../kernel/parallel.ts";
import { queueClient } from "./queues.ts";

const attributes = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"] as const;
const delayed = "ApproximateNumberOfMessagesDelayed";

export type Depths = ReturnType<typeof openDepths<string>>;

/** Opens queues to count their messages. @param urls the queues' URLs by their names */
export function openDepths<Name extends string>(urls: ReadonlyMap<Name, string>, client: SQSClient = queueClient()) {
  client.middlewareStack.use(callScopePlugin);
  return {
    /** How many messages each queue has, with those that are being received. SQS counts approximately. */
    async count(): Promise<{ queue: Name; messages: number }[]> {
      return allDone(
        [...urls].map(async ([queue, QueueUrl]) => {
          return { queue, messages: await countMessages(client, QueueUrl, attributes) };
        }),
      );
    },
  };
}

/** How many messages a queue has, with those that are being received and those that wait. SQS counts approximately. */
export function countAllMessages(queueUrl: string, client: SQSClient): Promise<number> {
  return countMessages(client, queueUrl, [...attributes, delayed]);
}

async function countMessages(
  client: SQSClient,
  QueueUrl: string,
  names: readonly (typeof delayed | (typeof attributes)[number])[],
): Promise<number> {
  const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...names] });
  const { Attributes = {} } = await client.send(command);
  return names.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
}
