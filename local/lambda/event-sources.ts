import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { LocalRefusal } from "../support/local-refusal.ts";
import { REGION, type Resolver } from "../template/intrinsics.ts";
import { type Assembly, describeResource, listResources, type StackResource } from "../template/template.ts";
import type { FunctionDeclaration, Functions } from "./functions.ts";

/** One queue that feeds one function. */
export interface EventSourceMapping {
  readonly functionId: string;
  readonly queueUrl: string;
  readonly queueArn: string;
  readonly batchSize: number;
  readonly batchWindowSeconds: number;
  /** Invocations side by side. */
  readonly concurrency: number;
  readonly reportsFailures: boolean;
}

export interface Pollers {
  /** Resolves when no batch is running, or after `timeoutMs` of real time. */
  settle(timeoutMs: number): Promise<void>;
  /** Stops receiving and resolves when the running batches have finished. */
  close(): Promise<void>;
}

/** Concurrent invocations per queue, equal to the sandboxes of a function. */
const CONCURRENCY_MAX = 4;
/** SQS's limit per receive. */
const RECEIVE_MAX = 10;
const LONG_POLL_SECONDS = 20;
const PAUSE_AFTER_ERROR_MS = 500;

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
    batchSize: Number(properties.BatchSize ?? RECEIVE_MAX),
    batchWindowSeconds: Number(properties.MaximumBatchingWindowInSeconds ?? 0),
    concurrency: Math.min(CONCURRENCY_MAX, scaling?.MaximumConcurrency ?? CONCURRENCY_MAX, declaration.sandboxesMax),
    reportsFailures: responseTypes.includes("ReportBatchItemFailures"),
  };
}

function resolveQueueUrl(stackResource: StackResource, resolver: Resolver, arn: string): string {
  const url = arn.startsWith("arn:aws:sqs:") ? resolver.queueUrl(arn) : undefined;
  if (url) return url;
  throw new LocalRefusal(`${describeResource(stackResource)} reads ${arn}, which is not a queue of the template.`);
}

/**
 * Starts the pollers. A batch whose invocation fails, and the messages that a function reports as failed, stay in the
 * queue and become visible again after their visibility timeout, as in the cloud.
 */
export function startPollers(
  mappings: readonly EventSourceMapping[],
  sqs: SQSClient,
  functions: Pick<Functions, "invoke">,
  report: (line: string) => void,
): Pollers {
  const stop = new AbortController();
  const poller: Poller = { sqs, functions, report, signal: stop.signal, inFlight: new Set() };
  const loops = mappings.flatMap((mapping) => Array.from({ length: mapping.concurrency }, () => poll(mapping, poller)));
  return {
    async settle(timeoutMs) {
      const timeout = sleep(timeoutMs, stop.signal).then(() => "over" as const);
      while (poller.inFlight.size > 0) {
        if ((await Promise.race([Promise.allSettled(poller.inFlight), timeout])) === "over") return;
      }
    },
    async close() {
      stop.abort();
      await Promise.all(loops);
    },
  };
}

interface Poller {
  readonly sqs: SQSClient;
  readonly functions: Pick<Functions, "invoke">;
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
  /** The running batches. */
  readonly inFlight: Set<Promise<void>>;
}

async function poll(mapping: EventSourceMapping, poller: Poller): Promise<void> {
  const { report, signal } = poller;
  while (!signal.aborted) {
    try {
      const messages = await receiveBatch(mapping, poller);
      if (messages.length > 0) await trackBatch(mapping, messages, poller);
    } catch (error) {
      if (signal.aborted) return;
      report(`${mapping.functionId}: receiving from its queue failed: ${(error as Error).message}`);
      await sleep(PAUSE_AFTER_ERROR_MS, signal);
    }
  }
}

/** Receives one batch: from one receive, or from several until the batch is full or its window ends. */
async function receiveBatch(mapping: EventSourceMapping, { sqs, signal }: Poller): Promise<Message[]> {
  const batch: Message[] = [];
  let deadline = Number.POSITIVE_INFINITY;
  do {
    const remainingSeconds = Math.ceil((deadline - performance.now()) / 1_000);
    const command = new ReceiveMessageCommand({
      QueueUrl: mapping.queueUrl,
      MaxNumberOfMessages: Math.min(RECEIVE_MAX, mapping.batchSize - batch.length),
      WaitTimeSeconds: Math.min(LONG_POLL_SECONDS, remainingSeconds),
      MessageSystemAttributeNames: ["All"],
      MessageAttributeNames: ["All"],
    });
    const { Messages = [] } = await sqs.send(command, { abortSignal: signal });
    batch.push(...Messages);
    if (batch.length === 0) return batch;
    if (deadline === Number.POSITIVE_INFINITY) deadline = performance.now() + mapping.batchWindowSeconds * 1_000;
  } while (batch.length < mapping.batchSize && performance.now() < deadline && !signal.aborted);
  return batch;
}

async function trackBatch(mapping: EventSourceMapping, messages: readonly Message[], poller: Poller): Promise<void> {
  const work = processBatch(mapping, messages, poller);
  poller.inFlight.add(work);
  try {
    await work;
  } finally {
    poller.inFlight.delete(work);
  }
}

async function processBatch(mapping: EventSourceMapping, messages: readonly Message[], poller: Poller): Promise<void> {
  const failedIds = await invokeWithBatch(mapping, messages, poller);
  const succeeded = messages.filter(({ MessageId = "" }) => !failedIds.has(MessageId));
  for (let from = 0; from < succeeded.length; from += RECEIVE_MAX) {
    const Entries = succeeded
      .slice(from, from + RECEIVE_MAX)
      .map(({ ReceiptHandle }, at) => ({ Id: String(at), ReceiptHandle }));
    await poller.sqs.send(new DeleteMessageBatchCommand({ QueueUrl: mapping.queueUrl, Entries }));
  }
}

/** Returns the ids of the messages that stay in the queue. */
async function invokeWithBatch(
  mapping: EventSourceMapping,
  messages: readonly Message[],
  { functions, report }: Poller,
): Promise<ReadonlySet<string>> {
  const messageIds = new Set(messages.map(({ MessageId = "" }) => MessageId));
  try {
    const result = await functions.invoke(mapping.functionId, {
      Records: messages.map((message) => toLambdaRecord(message, mapping)),
    });
    return mapping.reportsFailures ? parseBatchItemFailures(result, messageIds) : new Set();
  } catch (error) {
    report(`${mapping.functionId}: ${(error as Error).message}`);
    return messageIds;
  }
}

/**
 * Parses a handler's result to the ids of the failed messages. No result or an empty list means success. A result of
 * another shape, or with an id outside the batch, fails the whole batch, as in Lambda.
 */
export function parseBatchItemFailures(result: unknown, messageIds: ReadonlySet<string>): ReadonlySet<string> {
  if (typeof result !== "object" || result === null) return result === null ? new Set() : messageIds;
  const failures = (result as { batchItemFailures?: unknown }).batchItemFailures;
  if (failures === undefined) return Object.keys(result).length === 0 ? new Set() : messageIds;
  if (failures === null) return new Set();
  if (!Array.isArray(failures)) return messageIds;
  const ids = failures.map((failure: { itemIdentifier?: unknown } | null) => failure?.itemIdentifier);
  return ids.every((id) => typeof id === "string" && messageIds.has(id)) ? new Set(ids as string[]) : messageIds;
}

function toLambdaRecord(message: Message, { queueArn }: EventSourceMapping): object {
  const attributes = Object.entries(message.MessageAttributes ?? {}).map(([name, attribute]) => [
    name,
    { dataType: attribute.DataType, stringValue: attribute.StringValue, stringListValues: [], binaryListValues: [] },
  ]);
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes ?? {},
    messageAttributes: Object.fromEntries(attributes),
    md5OfBody: message.MD5OfBody,
    eventSource: "aws:sqs",
    eventSourceARN: queueArn,
    awsRegion: REGION,
  };
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    const stop = (): void => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener("abort", stop, { once: true });
  });
}
