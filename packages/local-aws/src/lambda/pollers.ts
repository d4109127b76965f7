import {
  ChangeMessageVisibilityBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { type Millis, SECOND } from "../support/time.ts";
import {
  BATCH_MAX,
  deleteMessages,
  receiveMessages,
  splitIntoBatches,
  succeededMessages,
  toQueueEvent,
} from "./batch.ts";
import type { EventSourceMapping } from "./event-sources.ts";
import type { Functions } from "./functions.ts";
import { FunctionFailed } from "./sandbox.ts";

export interface Pollers {
  /** Resolves when no batch is running, or after `timeoutMs` of real time. */
  settle(timeoutMs: number): Promise<void>;
  /** Stops receiving and resolves when the running batches have finished. */
  close(): Promise<void>;
}

export interface PollerPorts {
  /** The client of a function's queues. */
  readonly sqsOf: (functionId: string) => SQSClient;
  readonly functions: Pick<Functions, "invoke" | "ready">;
  /** Receives a line for each error. */
  readonly report: (line: string) => void;
}

const LONG_POLL_SECONDS = 20;
const PAUSE_AFTER_ERROR_MS = 500;
/** Lambda reads a queue slower while it refuses the invocations: otherwise one refusal would hide all that waits there. */
const PAUSE_AFTER_THROTTLE_MS = 1_000;
/** Before Lambda loads a function again that could not be loaded: doubled with each receive. */
const RELOAD_FIRST_DELAY = 5 * SECOND;
const RELOAD_DELAY_MAX = 160 * SECOND;
const RELOAD_JITTER = 0.1;

/**
 * Starts one poller per event source. It receives a batch whenever the event source may run another invocation. A batch
 * whose invocation fails, and the messages that a function reports as failed, stay in the queue and become visible again
 * after their visibility timeout, as in the cloud; so does a batch that finds no place to run. The messages of a function that could not be loaded come back
 * earlier, as after a failure that a worker reports: Lambda loads a function again within the same invocation.
 */
export function startPollers(mappings: readonly EventSourceMapping[], ports: PollerPorts): Pollers {
  const stop = new AbortController();
  const batches = new Set<Promise<void>>();
  const { sqsOf, ...others } = ports;
  const loops = mappings.map((mapping) =>
    poll(mapping, { ...others, sqs: sqsOf(mapping.functionId), signal: stop.signal, batches }),
  );
  return {
    async settle(timeoutMs) {
      const timeout = sleep(timeoutMs, stop.signal).then(() => "over" as const);
      while (batches.size > 0) {
        if ((await Promise.race([Promise.all(batches), timeout])) === "over") return;
      }
    },
    async close() {
      stop.abort();
      await Promise.all(loops);
      await Promise.all(batches);
    },
  };
}

interface Poller extends Omit<PollerPorts, "sqsOf"> {
  readonly sqs: SQSClient;
  readonly signal: AbortSignal;
  /** The running batches of all event sources. None rejects. */
  readonly batches: Set<Promise<void>>;
}

interface BatchPoller extends Poller {
  /** Called when a batch found no place to run. */
  throttled(): void;
}

async function poll(mapping: EventSourceMapping, poller: Poller): Promise<void> {
  const { report, signal, batches } = poller;
  const running = new Set<Promise<void>>();
  let resumeAt = 0;
  let isKnown = false;
  const throttled = () => {
    resumeAt = performance.now() + PAUSE_AFTER_THROTTLE_MS;
  };
  while (!signal.aborted) {
    const pause = resumeAt - performance.now();
    if (pause > 0) await sleep(pause, signal);
    if (running.size >= mapping.concurrency) {
      await Promise.race(running);
      continue;
    }
    try {
      // Lambda reads the queue's attributes, too, with the role of the function.
      if (!isKnown) await poller.sqs.send(new GetQueueAttributesCommand({ QueueUrl: mapping.queueUrl }));
      isKnown = true;
      // Messages that no sandbox can take yet stay visible: they become a larger batch, and their receives do not count.
      await poller.functions.ready(mapping.functionId, mapping.queueUrl);
      if (signal.aborted) return;
      const messages = await receiveBatch(mapping, poller);
      if (messages.length === 0) continue;
      const batch = processBatch(mapping, messages, { ...poller, throttled }).finally(() => {
        running.delete(batch);
        batches.delete(batch);
      });
      running.add(batch);
      batches.add(batch);
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
    const messages = await receiveMessages(sqs, {
      queueUrl: mapping.queueUrl,
      max: Math.min(BATCH_MAX, mapping.batchSize - batch.length),
      waitSeconds: Math.min(LONG_POLL_SECONDS, remainingSeconds),
      signal,
    });
    batch.push(...messages);
    if (batch.length === 0) return batch;
    if (deadline === Number.POSITIVE_INFINITY) deadline = performance.now() + mapping.batchWindowSeconds * 1_000;
  } while (batch.length < mapping.batchSize && performance.now() < deadline && !signal.aborted);
  return batch;
}

/** Never rejects: what fails stays in the queue. */
async function processBatch(
  mapping: EventSourceMapping,
  messages: readonly Message[],
  poller: BatchPoller,
): Promise<void> {
  try {
    await deleteMessages(poller.sqs, mapping.queueUrl, await invokeWithBatch(mapping, messages, poller));
  } catch (error) {
    if (!poller.signal.aborted) poller.report(`${mapping.functionId}: ${(error as Error).message}`);
  }
}

/** Returns the messages that do not stay in the queue. */
async function invokeWithBatch(
  mapping: EventSourceMapping,
  messages: readonly Message[],
  poller: BatchPoller,
): Promise<readonly Message[]> {
  try {
    const result = await poller.functions.invoke(
      mapping.functionId,
      toQueueEvent(messages, mapping.queueArn),
      mapping.queueUrl,
    );
    return mapping.reportsFailures ? succeededMessages(messages, result) : messages;
  } catch (error) {
    poller.report(`${mapping.functionId}: ${(error as Error).message}`);
    const reason = error instanceof FunctionFailed ? error.reason : null;
    if (reason === "unloadable") await postpone(mapping, messages, poller);
    if (reason === "throttled") poller.throttled();
    return [];
  }
}

async function postpone(mapping: EventSourceMapping, messages: readonly Message[], { sqs }: Poller): Promise<void> {
  for (const part of splitIntoBatches(messages)) {
    const Entries = part.map(({ ReceiptHandle, Attributes }, at) => ({
      Id: String(at),
      ReceiptHandle,
      VisibilityTimeout: Math.ceil(
        reloadDelay(Number(Attributes?.ApproximateReceiveCount ?? 1), Math.random()) / SECOND,
      ),
    }));
    await sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: mapping.queueUrl, Entries }));
  }
}

function reloadDelay(receives: number, random: number): Millis {
  return Math.min(RELOAD_DELAY_MAX, RELOAD_FIRST_DELAY * 2 ** (receives - 1)) * (1 + RELOAD_JITTER * random);
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
