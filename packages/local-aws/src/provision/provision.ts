import { type Identity, ResourceNotCreated } from "../template/intrinsics.ts";
import { type Assembly, listResources, type StackResource } from "../template/template.ts";
import { isSupportedType } from "../template/types.ts";
import { provisionBucket } from "./buckets.ts";
import { provisionKey } from "./keys.ts";
import type { ProvisionContext } from "./provision-context.ts";
import { provisionQueue } from "./queues.ts";
import { provisionSecret } from "./secrets.ts";
import { provisionTable } from "./tables.ts";

type Provisioner = (
  stackResource: StackResource,
  properties: Record<string, unknown>,
  context: ProvisionContext,
) => Promise<Identity> | Identity;

const provisioners: Readonly<Record<string, Provisioner>> = {
  "AWS::KMS::Key": provisionKey,
  "AWS::DynamoDB::Table": provisionTable,
  "AWS::DynamoDB::GlobalTable": provisionTable,
  "AWS::SecretsManager::Secret": provisionSecret,
  "AWS::SQS::Queue": provisionQueue,
  "AWS::S3::Bucket": provisionBucket,
  "AWS::ApiGatewayV2::Api": ({ id }, { ProtocolType }, { baseUrl, socketUrl }) => ({
    ref: id,
    attributes: { ApiId: id, ApiEndpoint: ProtocolType === "WEBSOCKET" ? socketUrl : baseUrl },
  }),
  // Without effect: the emulator sends no mail, so nothing bounces.
  "AWS::SES::ConfigurationSet": ({ id }) => ({ ref: id, attributes: {} }),
};

/**
 * Creates the resources of the template that do not exist yet, each after the resources it refers to (a queue after its
 * dead letter queue). Idempotent: a second start finds the resources of the first.
 */
export async function provision(assembly: Assembly, context: ProvisionContext): Promise<void> {
  const { resolver } = context;
  for (const { stackResource, name, arn } of context.functions) {
    resolver.register(stackResource.stack, stackResource.id, { ref: name, attributes: { Arn: arn } });
  }
  let pending = listResources(assembly).filter(({ stack, resource }) =>
    resolver.isConditionMet(stack, resource.Condition),
  );
  pending = pending.filter(({ resource }) => isSupportedType(resource.Type) && provisioners[resource.Type]);
  while (pending.length > 0) {
    const blocked: StackResource[] = [];
    let lastMissing: ResourceNotCreated | undefined;
    for (const stackResource of pending) {
      try {
        await provisionResource(stackResource, context);
      } catch (error) {
        if (!(error instanceof ResourceNotCreated)) throw error;
        lastMissing = error;
        blocked.push(stackResource);
      }
    }
    if (lastMissing && blocked.length === pending.length) throw lastMissing;
    pending = blocked;
  }
}

async function provisionResource(stackResource: StackResource, context: ProvisionContext): Promise<void> {
  const { stack, id, resource } = stackResource;
  const properties = context.resolver.resolve(stack, relevantProperties(resource.Type, resource.Properties ?? {}));
  const identity = await provisioners[resource.Type]?.(stackResource, properties as Record<string, unknown>, context);
  if (identity) context.resolver.register(stack, id, identity);
}

/** Omits policies and tags: they have no effect here, and may refer to roles and topics, which do not exist. */
function relevantProperties(type: string, properties: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { Tags, KeyPolicy, NotificationConfiguration, LoggingConfiguration, ...rest } = properties;
  if (type === "AWS::S3::Bucket" && NotificationConfiguration !== undefined)
    return { ...rest, NotificationConfiguration };
  return rest;
}
