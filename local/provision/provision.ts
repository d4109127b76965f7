import { type Identity, NotMadeYet } from "../template/intrinsics.ts";
import { type Assembly, type Placed, resourcesOf } from "../template/template.ts";
import { isMade } from "../template/types.ts";
import { makeBucket } from "./buckets.ts";
import { makeKey } from "./keys.ts";
import type { Workshop } from "./provision-context.ts";
import { makeQueue } from "./queues.ts";
import { makeSecret } from "./secrets.ts";
import { makeTable } from "./tables.ts";

type Maker = (placed: Placed, properties: Record<string, unknown>, workshop: Workshop) => Promise<Identity> | Identity;

const makers: Readonly<Record<string, Maker>> = {
  "AWS::KMS::Key": makeKey,
  "AWS::DynamoDB::Table": makeTable,
  "AWS::DynamoDB::GlobalTable": makeTable,
  "AWS::SecretsManager::Secret": makeSecret,
  "AWS::SQS::Queue": makeQueue,
  "AWS::S3::Bucket": makeBucket,
  "AWS::ApiGatewayV2::Api": ({ id }, _properties, { baseUrl }) => ({
    ref: id,
    attributes: { ApiId: id, ApiEndpoint: baseUrl },
  }),
};

/**
 * Makes what the template declares and is not made yet, each after what it refers to (a queue after the queue of its
 * dead letters). Safe to repeat: a second start finds everything as the first left it.
 */
export async function provision(assembly: Assembly, workshop: Workshop): Promise<void> {
  const { resolver } = workshop;
  for (const { placed, name, arn } of workshop.functions) {
    resolver.made(placed.stack, placed.id, { ref: name, attributes: { Arn: arn } });
  }
  let waiting = resourcesOf(assembly).filter(({ stack, resource }) => resolver.holds(stack, resource.Condition));
  waiting = waiting.filter(({ resource }) => isMade(resource.Type) && makers[resource.Type]);
  while (waiting.length > 0) {
    const again: Placed[] = [];
    let lastMissing: NotMadeYet | undefined;
    for (const placed of waiting) {
      try {
        await make(placed, workshop);
      } catch (error) {
        if (!(error instanceof NotMadeYet)) throw error;
        lastMissing = error;
        again.push(placed);
      }
    }
    if (lastMissing && again.length === waiting.length) throw lastMissing;
    waiting = again;
  }
}

async function make(placed: Placed, workshop: Workshop): Promise<void> {
  const { stack, id, resource } = placed;
  const properties = workshop.resolver.resolve(stack, madeFrom(resource.Type, resource.Properties ?? {}));
  const identity = await makers[resource.Type]?.(placed, properties as Record<string, unknown>, workshop);
  if (identity) workshop.resolver.made(stack, id, identity);
}

/** Policies and tags may refer to roles and topics, which do not exist here, and change nothing. */
function madeFrom(type: string, properties: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { Tags, KeyPolicy, NotificationConfiguration, LoggingConfiguration, ...rest } = properties;
  if (type === "AWS::S3::Bucket" && NotificationConfiguration !== undefined)
    return { ...rest, NotificationConfiguration };
  return rest;
}
