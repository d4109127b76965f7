import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { LocalRefusal } from "../support/settings-error.ts";
import { REGION, type Resolver } from "../template/intrinsics.ts";
import { type Assembly, nameOf, type Placed, resourcesOf } from "../template/template.ts";
import type { FunctionDeclaration, Functions } from "./functions.ts";

/** One queue that feeds one function. */
export interface Mapping {
  readonly functionId: string;
  readonly queueUrl: string;
  readonly queueArn: string;
  readonly batchSize: number;
  readonly batchWindowSeconds: number;
  /** Invocations side by side. */
  readonly atOnce: number;
  readonly reportsFailures: boolean;
}

export interface Pollers {
  /** Resolves once no batch is being processed, or when `patienceMs` of real time are over. */
  settle(patienceMs: number): Promise<void>;
  /** Stops asking for messages; resolves once what was being processed has ended. */
  close(): Promise<void>;
}

/** As many invocations side by side for one queue as a function has sandboxes here. */
const AT_ONCE_MAX = 4;
/** SQS's own most for one receive. */
const RECEIVE_MAX = 10;
const LONG_POLL_SECONDS = 20;
const PAUSE_AFTER_ERROR_MS = 500;

/** Reads the event sources of the assembly, whose functions and queues must have been made. */
export function readMappings(
  assembly: Assembly,
  resolver: Resolver,
  functions: readonly FunctionDeclaration[],
): Mapping[] {
  return resourcesOf(assembly)
    .filter(({ resource }) => resource.Type === "AWS::Lambda::EventSourceMapping")
    .filter(({ stack, resource }) => resolver.holds(stack, resource.Condition))
    .map((placed) => readMapping(placed, resolver, functions))
    .filter((mapping) => mapping !== null);
}

function readMapping(placed: Placed, resolver: Resolver, functions: readonly FunctionDeclaration[]): Mapping | null {
  const properties = placed.resource.Properties ?? {};
  if (properties.Enabled === false) return null;
  const target = resolver.text(placed.stack, properties.FunctionName);
  const found = functions.find(({ name, arn }) => target === name || target === arn);
  if (!found)
    throw new LocalRefusal(`${nameOf(placed)} feeds the function ${target}, which the template does not have.`);
  const queueArn = resolver.text(placed.stack, properties.EventSourceArn);
  const queueUrl = queueUrlOf(placed, resolver, queueArn);
  const scaling = properties.ScalingConfig as { MaximumConcurrency?: number } | undefined;
  const answers = (properties.FunctionResponseTypes as string[] | undefined) ?? [];
  return {
    functionId: found.placed.id,
    queueUrl,
    queueArn,
    batchSize: Number(properties.BatchSize ?? RECEIVE_MAX),
    batchWindowSeconds: Number(properties.MaximumBatchingWindowInSeconds ?? 0),
    atOnce: Math.min(AT_ONCE_MAX, scaling?.MaximumConcurrency ?? AT_ONCE_MAX, found.sandboxesMax),
    reportsFailures: answers.includes("ReportBatchItemFailures"),
  };
}

function queueUrlOf(placed: Placed, resolver: Resolver, arn: string): string {
  const url = arn.startsWith("arn:aws:sqs:") ? resolver.queueUrl(arn) : undefined;
  if (url) return url;
  throw new LocalRefusal(`${nameOf(placed)} reads ${arn}, which is not a queue of the template.`);
}

/**
 * Feeds the functions. A batch whose invocation fails, and the messages a function names as failed, are left alone:
 * they come back when their visibility timeout is over, as in the cloud.
 */
export function startPollers(
  mappings: readonly Mapping[],
  sqs: SQSClient,
  functions: Pick<Functions, "invoke">,
  report: (line: string) => void,
): Pollers {
  const stop = new AbortController();
  const poller: Poller = { sqs, functions, report, signal: stop.signal, working: new Set() };
  const loops = mappings.flatMap((mapping) => Array.from({ length: mapping.atOnce }, () => poll(mapping, poller)));
  return {
    async settle(patienceMs) {
      const patience = pause(patienceMs, stop.signal).then(() => "over" as const);
      while (poller.working.size > 0) {
        if ((await Promise.race([Promise.allSettled(poller.working), patience])) === "over") return;
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
  /** The batches being processed. */
  readonly working: Set<Promise<void>>;
}

async function poll(mapping: Mapping, poller: Poller): Promise<void> {
  const { report, signal } = poller;
  while (!signal.aborted) {
    try {
      const messages = await gather(mapping, poller);
      if (messages.length > 0) await processOne(mapping, messages, poller);
    } catch (error) {
      if (signal.aborted) return;
      report(`${mapping.functionId}: its queue cannot be read: ${(error as Error).message}`);
      await pause(PAUSE_AFTER_ERROR_MS, signal);
    }
  }
}

/** One batch: what one receive gives, or what several give until the batch is full or its window is over. */
async function gather(mapping: Mapping, { sqs, signal }: Poller): Promise<Message[]> {
  const batch: Message[] = [];
  let deadline = Number.POSITIVE_INFINITY;
  do {
    const left = Math.ceil((deadline - performance.now()) / 1_000);
    const command = new ReceiveMessageCommand({
      QueueUrl: mapping.queueUrl,
      MaxNumberOfMessages: Math.min(RECEIVE_MAX, mapping.batchSize - batch.length),
      WaitTimeSeconds: Math.min(LONG_POLL_SECONDS, left),
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

async function processOne(mapping: Mapping, messages: readonly Message[], poller: Poller): Promise<void> {
  const work = processBatch(mapping, messages, poller);
  poller.working.add(work);
  try {
    await work;
  } finally {
    poller.working.delete(work);
  }
}

async function processBatch(mapping: Mapping, messages: readonly Message[], poller: Poller): Promise<void> {
  const failed = await failedOf(mapping, messages, poller);
  const done = messages.filter(({ MessageId = "" }) => !failed.has(MessageId));
  for (let from = 0; from < done.length; from += RECEIVE_MAX) {
    const Entries = done
      .slice(from, from + RECEIVE_MAX)
      .map(({ ReceiptHandle }, at) => ({ Id: String(at), ReceiptHandle }));
    await poller.sqs.send(new DeleteMessageBatchCommand({ QueueUrl: mapping.queueUrl, Entries }));
  }
}

/** The ids of the messages that stay in the queue. */
async function failedOf(
  mapping: Mapping,
  messages: readonly Message[],
  { functions, report }: Poller,
): Promise<ReadonlySet<string>> {
  const all = new Set(messages.map(({ MessageId = "" }) => MessageId));
  try {
    const result = await functions.invoke(mapping.functionId, {
      Records: messages.map((one) => recordOf(one, mapping)),
    });
    return mapping.reportsFailures ? failuresOf(result, all) : new Set();
  } catch (error) {
    report(`${mapping.functionId}: ${(error as Error).message}`);
    return all;
  }
}

/**
 * What a handler's answer says of its batch. Nothing, or an empty list, is success; an answer of another shape, or with
 * an id that is not in the batch, fails the whole batch, as Lambda has it.
 */
export function failuresOf(result: unknown, all: ReadonlySet<string>): ReadonlySet<string> {
  if (typeof result !== "object" || result === null) return result === null ? new Set() : all;
  const failures = (result as { batchItemFailures?: unknown }).batchItemFailures;
  if (failures === undefined) return Object.keys(result).length === 0 ? new Set() : all;
  if (failures === null) return new Set();
  if (!Array.isArray(failures)) return all;
  const ids = failures.map((failure: { itemIdentifier?: unknown } | null) => failure?.itemIdentifier);
  return ids.every((id) => typeof id === "string" && all.has(id)) ? new Set(ids as string[]) : all;
}

function recordOf(message: Message, { queueArn }: Mapping): object {
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

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    const stop = (): void => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener("abort", stop, { once: true });
  });
}
