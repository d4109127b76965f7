import type { SQSEvent, SQSRecord } from "aws-lambda";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { LogLine } from "#base/aws/log.ts";
import type { ReceivedMessages } from "#base/aws/received-messages.ts";
import { captureCallScope } from "#base/kernel/call-scope.ts";
import { OutOfTime } from "#base/kernel/deadline.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { runWithTrace } from "#base/kernel/trace.ts";
import { done, drop, type RecordOutcome, retry } from "#base/queues/record-outcome.ts";
import { encodeErasure } from "#features/erasure/queue.ts";
import { processRecords } from "../../../functions/worker/batch.ts";
import { queueWorker, scheduleWorker } from "../../../functions/worker/middleware.ts";

let lines: LogLine[];
const log = (line: LogLine) => void lines.push(line);
beforeEach(() => {
  lines = [];
  // The jitter is drawn as 0.
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const QUEUE = "arn:aws:sqs:us-east-1:000000000000:parley-Inbound";

const invocation = (remaining = MINUTE) => ({ getRemainingTimeInMillis: () => remaining });
const erasureId = "0".repeat(64);
const body = runWithTrace("request-1", () => encodeErasure({ tenant: "demo" as never, erasureId }));
const record = (messageId: string, receives = 1) =>
  ({
    messageId,
    receiptHandle: `handle of ${messageId}`,
    eventSourceARN: QUEUE,
    body,
    attributes: { ApproximateReceiveCount: String(receives) },
  }) as SQSRecord;
const event = (...ids: string[]): SQSEvent => ({ Records: ids.map((id) => record(id)) });
const never = new Promise<never>(() => {});

const noSending = () => Promise.reject(new Error("No message is sent back."));

type Postpone = ReceivedMessages["postpone"];

function batchWorker(outcomes: Readonly<Record<string, Promise<RecordOutcome>>>, postpone: Postpone = async () => []) {
  const ports = { log, receivedMessages: { postpone, sendBack: noSending } };
  return queueWorker("sample", log, (batch, context) =>
    processRecords(batch, context, { worker: "sample", ports }, () => new Map(Object.entries(outcomes))),
  );
}

it("a worker behind a queue reports the retried records and logs one line of counts", async () => {
  const postponed: unknown[] = [];
  const worker = batchWorker(
    {
      a: Promise.resolve(done),
      b: Promise.resolve(drop("stale")),
      c: Promise.resolve(retry("leased", 7 * SECOND)),
      d: Promise.reject(new TypeError("private text")),
    },
    async (...call) => {
      postponed.push(call);
      return [];
    },
  );
  expect(await worker(event("a", "b", "c", "d"), invocation())).toEqual({
    batchItemFailures: expect.arrayContaining([{ itemIdentifier: "c" }, { itemIdentifier: "d" }]),
  });
  const messages = [
    { receiptHandle: "handle of d", delay: 5 * SECOND },
    { receiptHandle: "handle of c", delay: 7 * SECOND },
  ];
  expect(postponed).toEqual([[QUEUE, expect.arrayContaining(messages), expect.any(AbortSignal)]]);
  const failed = { event: "record.failed", message_id: "d", error: "TypeError", receives: 1 };
  expect(lines).toHaveLength(3);
  expect(lines).toContainEqual({ event: "record.dropped", worker: "sample", reason: "stale", trace_id: "request-1" });
  expect(lines).toContainEqual({ ...failed, worker: "sample", trace_id: "request-1" });
  expect(lines.at(-1)).toEqual({
    event: "worker.completed",
    worker: "sample",
    records: 4,
    done: 1,
    dropped: 1,
    retried: 2,
    duration_ms: expect.any(Number),
  });
});

it("a worker behind a queue retries a record that is unfinished three seconds before the time-out", async () => {
  const worker = batchWorker({ a: Promise.resolve(done), b: never });
  const response = await worker(event("a", "b"), invocation(3 * SECOND + 20));
  expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: "b" }] });
  expect(lines).toMatchObject([{ event: "worker.completed", done: 1, retried: 1 }]);
});

it("a worker behind a queue lets none of its records begin a call between its deadline and its report", async () => {
  let mayCall = () => true;
  const statesAtReport: boolean[] = [];
  const postpone: Postpone = async () => {
    statesAtReport.push(mayCall(), captureCallScope()());
    return [];
  };
  const worker = queueWorker("sample", log, (batch, context) =>
    processRecords(
      batch,
      context,
      { worker: "sample", ports: { log, receivedMessages: { postpone, sendBack: noSending } } },
      () => {
        mayCall = captureCallScope();
        return new Map([["a", never]]);
      },
    ),
  );
  await worker(event("a"), invocation(3 * SECOND + 20));
  expect(statesAtReport).toEqual([false, true]);
});

it("a worker behind a queue reports the outcome of a record whose last call ends within half a second", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const lastCall = new Promise<void>((resolve) => setTimeout(resolve, 57 * SECOND + 400));
    const refused = lastCall.then(() => {
      throw new OutOfTime("The call does not begin.");
    });
    const response = batchWorker({ a: lastCall.then(() => done), b: refused })(event("a", "b"), invocation());
    await vi.advanceTimersByTimeAsync(57 * SECOND + 400);
    expect(await response).toEqual({ batchItemFailures: [{ itemIdentifier: "b" }] });
    expect(lines).toMatchObject([{ event: "worker.completed", done: 1, retried: 1 }]);
  } finally {
    vi.useRealTimers();
  }
});

it("a worker behind a queue lets a fault come back after 5, 10, 20, … 160 seconds, each plus up to a tenth", async () => {
  const delays: number[] = [];
  const worker = batchWorker({ a: Promise.reject(new Error("fault")) }, async (_queue, [message]) => {
    delays.push(message?.delay ?? 0);
    return [];
  });
  for (const draw of [0, 1]) {
    vi.spyOn(Math, "random").mockReturnValue(draw);
    for (let receives = 1; receives <= 9; receives++) await worker({ Records: [record("a", receives)] }, invocation());
  }
  const seconds = [5, 10, 20, 40, 80, 160, 160, 160, 160];
  expect(delays.map((delay) => Math.round(delay / 100) / 10)).toEqual([
    ...seconds,
    ...seconds.map((delay) => delay * 1.1),
  ]);
});

it("a worker behind a queue lets an unfinished record come back after 5 seconds, too", async () => {
  const delays: number[] = [];
  const worker = batchWorker({ a: never }, async (_queue, [message]) => {
    delays.push(message?.delay ?? 0);
    return [];
  });
  await worker(event("a"), invocation(3 * SECOND + 20));
  expect(delays).toEqual([5 * SECOND]);
});

it("a worker behind a queue sends no request for a batch without faults", async () => {
  const postpone = vi.fn<Postpone>(async () => []);
  await batchWorker({ a: Promise.resolve(done) }, postpone)(event("a"), invocation());
  expect(postpone).not.toHaveBeenCalled();
});

it("a worker behind a queue logs that the next receive of its records could not be scheduled, and reports them all the same", async () => {
  const worker = batchWorker({ a: Promise.resolve(retry("leased")) }, () => Promise.reject(new TypeError("private")));
  expect(await worker(event("a"), invocation())).toEqual({ batchItemFailures: [{ itemIdentifier: "a" }] });
  expect(lines).toContainEqual({
    event: "redelivery.schedule_failed",
    queue: "parley-Inbound",
    records: 1,
    error: "TypeError",
  });
});

it("a worker behind a queue logs how many of its records the queue refused to schedule", async () => {
  const outcomes = { a: Promise.resolve(retry("leased")), b: Promise.resolve(retry("leased")) };
  await batchWorker(outcomes, async () => ["ReceiptHandleIsInvalid"])(event("a", "b"), invocation());
  expect(lines).toContainEqual({
    event: "redelivery.schedule_failed",
    queue: "parley-Inbound",
    records: 1,
    error: "ReceiptHandleIsInvalid",
  });
});

it("a worker behind a queue reports its failed records even if their next receive cannot be scheduled", async () => {
  const worker = batchWorker({ a: Promise.reject(new Error("fault")) }, () => Promise.reject(new Error("no queue")));
  expect(await worker(event("a"), invocation())).toEqual({ batchItemFailures: [{ itemIdentifier: "a" }] });
});

it("a worker behind a queue fails with a named error one second before the time-out when the batch does not end", async () => {
  const worker = queueWorker("sample", log, () => never);
  await expect(worker(event("a"), invocation(SECOND + 20))).rejects.toMatchObject({ name: "OutOfTime" });
  expect(lines).toEqual([{ event: "worker.failed", worker: "sample", error: "OutOfTime" }]);
});

it("a worker behind a schedule begins no call once it has failed for lack of time", async () => {
  let mayCall = () => true;
  const worker = scheduleWorker("sample", log, () => {
    mayCall = captureCallScope();
    return never;
  });
  await expect(worker({}, invocation(SECOND + 20))).rejects.toMatchObject({ name: "OutOfTime" });
  expect(mayCall()).toBe(false);
});

it("a worker behind a schedule logs that it completed", async () => {
  expect(await scheduleWorker("sample", log, async () => {})({}, invocation())).toBeUndefined();
  expect(lines).toEqual([{ event: "worker.completed", worker: "sample", duration_ms: expect.any(Number) }]);
});

it("a worker behind a schedule logs the class of its error and fails with it", async () => {
  const fault = new RangeError("private text");
  const worker = scheduleWorker("sample", log, () => Promise.reject(fault));
  await expect(worker({}, invocation())).rejects.toBe(fault);
  expect(lines).toEqual([{ event: "worker.failed", worker: "sample", error: "RangeError" }]);
});
