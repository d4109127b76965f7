import type { SQSEvent, SQSRecord } from "aws-lambda";
import { beforeEach, describe, expect, it } from "vitest";
import { type Postpone, processRecords } from "../../../functions/worker/batch.ts";
import { queueWorker, scheduleWorker } from "../../../functions/worker/middleware.ts";
import type { LogLine } from "../../../shared/aws/log.ts";
import { done, drop, type RecordOutcome, retry } from "../../../shared/flows/record-outcome.ts";
import { MINUTE, SECOND } from "../../../shared/kernel/time.ts";
import { runWithTrace } from "../../../shared/kernel/trace.ts";
import { encodeErasure } from "../../../shared/queues/erasures.ts";

let lines: LogLine[];
const log = (line: LogLine) => void lines.push(line);
beforeEach(() => {
  lines = [];
});

const invocation = (remaining = MINUTE) => ({ getRemainingTimeInMillis: () => remaining });
const erasureId = "0".repeat(64);
const body = runWithTrace("request-1", () => encodeErasure({ tenant: "demo" as never, erasureId }));
const record = (messageId: string) => ({ messageId, body, attributes: {} }) as SQSRecord;
const event = (...ids: string[]): SQSEvent => ({ Records: ids.map(record) });
const never = new Promise<never>(() => {});

function batchWorker(outcomes: Readonly<Record<string, Promise<RecordOutcome>>>, postpone: Postpone = async () => {}) {
  return queueWorker("sample", log, (batch, context) =>
    processRecords(batch, context, { worker: "sample", log, postpone }, () => new Map(Object.entries(outcomes))),
  );
}

describe("a worker behind a queue", () => {
  it("reports the retried records and logs one line of counts", async () => {
    const postponed: unknown[] = [];
    const worker = batchWorker(
      {
        a: Promise.resolve(done),
        b: Promise.resolve(drop("stale")),
        c: Promise.resolve(retry("leased", 5 * SECOND)),
        d: Promise.reject(new TypeError("private text")),
      },
      async ({ messageId }, delay) => void postponed.push([messageId, delay]),
    );
    expect(await worker(event("a", "b", "c", "d"), invocation())).toEqual({
      batchItemFailures: expect.arrayContaining([{ itemIdentifier: "c" }, { itemIdentifier: "d" }]),
    });
    expect(postponed).toEqual([["c", 5 * SECOND]]);
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

  it("retries a record that is unfinished three seconds before the time-out", async () => {
    const worker = batchWorker({ a: Promise.resolve(done), b: never });
    const response = await worker(event("a", "b"), invocation(3 * SECOND + 20));
    expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: "b" }] });
    expect(lines).toMatchObject([{ event: "worker.completed", done: 1, retried: 1 }]);
  });

  it("fails with a named error one second before the time-out when the batch does not end", async () => {
    const worker = queueWorker("sample", log, () => never);
    await expect(worker(event("a"), invocation(SECOND + 20))).rejects.toMatchObject({ name: "OutOfTime" });
    expect(lines).toEqual([{ event: "worker.failed", worker: "sample", error: "OutOfTime" }]);
  });
});

describe("a worker behind a schedule", () => {
  it("logs that it completed", async () => {
    expect(await scheduleWorker("sample", log, async () => {})({}, invocation())).toBeUndefined();
    expect(lines).toEqual([{ event: "worker.completed", worker: "sample", duration_ms: expect.any(Number) }]);
  });

  it("logs the class of its error and fails with it", async () => {
    const fault = new RangeError("private text");
    const worker = scheduleWorker("sample", log, () => Promise.reject(fault));
    await expect(worker({}, invocation())).rejects.toBe(fault);
    expect(lines).toEqual([{ event: "worker.failed", worker: "sample", error: "RangeError" }]);
  });
});
