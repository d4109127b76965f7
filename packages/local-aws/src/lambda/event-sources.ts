import { LocalRefusal } from "../support/local-refusal.ts";
import type { Resolver } from "../template/intrinsics.ts";
import { type Assembly, describeResource, listResources, type StackResource } from "../template/template.ts";
import type { FunctionDeclaration } from "./functions.ts";

/** One queue that feeds one function. */
export interface EventSourceMapping {
  readonly functionId: string;
  readonly queueUrl: string;
  readonly queueArn: string;
  readonly batchSize: number;
  readonly batchWindowSeconds: number;
  /** Maximum concurrent invocations: the mapping's own limit, and at most the sandboxes of the function. */
  readonly concurrency: number;
  readonly reportsFailures: boolean;
}

/** The batch size of an event source that declares none. */
const DEFAULT_BATCH_SIZE = 10;

/** Reads the event sources of the assembly. Their functions and queues must exist. */
export function readEventSourceMappings(
  assembly: Assembly,
  resolver: Resolver,
  functions: readonly FunctionDeclaration[],
): EventSourceMapping[] {
  return listResources(assembly)
    .filter(({ resource }) => resource.Type === "AWS::Lambda::EventSourceMapping")
    .filter(({ stack, resource }) => resolver.isConditionMet(stack, resource.Condition))
    .map((stackResource) => readEventSourceMapping(stackResource, resolver, functions))
    .filter((mapping) => mapping !== null);
}

function readEventSourceMapping(
  stackResource: StackResource,
  resolver: Resolver,
  functions: readonly FunctionDeclaration[],
): EventSourceMapping | null {
  const properties = stackResource.resource.Properties ?? {};
  if (properties.Enabled === false) return null;
  const target = resolver.text(stackResource.stack, properties.FunctionName);
  const declaration = functions.find(({ name, arn }) => target === name || target === arn);
  if (!declaration)
    throw new LocalRefusal(
      `${describeResource(stackResource)} feeds the function ${target}, which the template does not have.`,
    );
  const queueArn = resolver.text(stackResource.stack, properties.EventSourceArn);
  const queueUrl = resolveQueueUrl(stackResource, resolver, queueArn);
  const scaling = properties.ScalingConfig as { MaximumConcurrency?: number } | undefined;
  const responseTypes = (properties.FunctionResponseTypes as string[] | undefined) ?? [];
  return {
    functionId: declaration.stackResource.id,
    queueUrl,
    queueArn,
    batchSize: Number(properties.BatchSize ?? DEFAULT_BATCH_SIZE),
    batchWindowSeconds: Number(properties.MaximumBatchingWindowInSeconds ?? 0),
    concurrency: Math.min(scaling?.MaximumConcurrency ?? declaration.sandboxesMax, declaration.sandboxesMax),
    reportsFailures: responseTypes.includes("ReportBatchItemFailures"),
  };
}

function resolveQueueUrl(stackResource: StackResource, resolver: Resolver, arn: string): string {
  const url = arn.startsWith("arn:aws:sqs:") ? resolver.queueUrl(arn) : undefined;
  if (url) return url;
  throw new LocalRefusal(`${describeResource(stackResource)} reads ${arn}, which is not a queue of the template.`);
}
