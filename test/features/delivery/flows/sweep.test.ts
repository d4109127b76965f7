import { DeleteCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { cursorAfter } from "#base/table/due-queue.ts";
import { sweepDue } from "#features/delivery/flows/sweep/due.ts";
import { type DueAttempt, dueStore } from "#features/delivery/store/due-attempts.ts";
import { injectFaults } from "../../../support/faults.ts";
import { invokeWorker, queueDepth } from "../../../support/flows/queue-worker.ts";
import { openTestEnv, type TestQueues } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { decodeRetry } from "../../../support/pipeline/deliveries-messages.ts";
import { newTenant, seededFraction } from "../../../support/stores/samples.ts";

let queues: TestQueues;
const testEnv = openedOnce(openTestEnv);
// Each test starts days after the one before and a minute after a sweep, which has not read the rows of earlier tests.
beforeEach(async () => {
  testEnv.advance(30 * DAY);
  queues = await testEnv.newQueues();
  await due().saveCheckpoint(cursorAfter(testEnv.now() - MINUTE));
});

const due = () => dueStore(testEnv.table);
const sweep = () => sweepDue(testEnv.sweepPorts(queues), testEnv.now());

async function putDue(dueAt: Millis): Promise<DueAttempt> {
  const attempt = { tenant: newTenant(), endpointId: newUlid(dueAt), eventUlid: newUlid(dueAt), attempt: 4, dueAt };
  await due().put(attempt);
  return attempt;
}

/** Receives the events whose retry is on the queue, and removes them from it. */
async function receiveRetries(): Promise<string[]> {
  const events: string[] = [];
  for (let more = true; more; ) {
    const { records } = await invokeWorker(testEnv.eventSource, queues.deliveries, async () => ({
      batchItemFailures: [],
    }));
    events.push(...records.map(({ body }) => decodeRetry(body)?.eventUlid ?? "unreadable"));
    more = records.length > 0;
  }
  return events;
}

it("a sweep sends each due attempt once, for any due time", async () => {
  const start = testEnv.now();
  const waits = Array.from({ length: 120 }, (_, i) => Math.floor(seededFraction(`wait ${i}`) * 3 * HOUR));
  const all = await Promise.all([0, 1, ...waits].map((wait) => putDue(start + 16 * MINUTE + wait)));
  for (let minute = 0; minute < 200; minute += 1 + Math.floor(seededFraction(`pause ${minute}`) * 9)) {
    await sweep();
    testEnv.advance((1 + Math.floor(seededFraction(`pause ${minute}`) * 9)) * MINUTE);
  }
  await sweep();
  testEnv.advance(15 * MINUTE);
  expect((await receiveRetries()).sort()).toEqual(all.map(({ eventUlid }) => eventUlid).sort());
});

it("a sweep delays what is due within two minutes to the second, and leaves what is due later", async () => {
  const now = testEnv.now();
  const inAMinute = await putDue(now + 61 * SECOND);
  const atTheEdge = await putDue(now + 2 * MINUTE);
  const behindIt = await putDue(now + 2 * MINUTE + 1);
  await sweep();
  expect(await queueDepth(testEnv.eventSource, queues.deliveries)).toBe(2);
  testEnv.advance(61 * SECOND - 1);
  expect(await receiveRetries()).toEqual([]);
  testEnv.advance(1);
  expect(await receiveRetries()).toEqual([inAMinute.eventUlid]);
  testEnv.advance(59 * SECOND);
  expect(await receiveRetries()).toEqual([atTheEdge.eventUlid]);
  await sweep();
  testEnv.advance(SECOND);
  expect(await receiveRetries()).toEqual([behindIt.eventUlid]);
});

it("a sweep catches up after days without a sweep", async () => {
  await sweep();
  const start = testEnv.now();
  const all = await Promise.all([20 * MINUTE, DAY, 2 * DAY + 1, 3 * DAY].map((wait) => putDue(start + wait)));
  const later = await putDue(start + 4 * DAY);
  testEnv.advance(3 * DAY);
  await sweep();
  expect((await receiveRetries()).sort()).toEqual(all.map(({ eventUlid }) => eventUlid).sort());
  testEnv.advance(DAY);
  await sweep();
  expect(await receiveRetries()).toEqual([later.eventUlid]);
});

it("a sweep finds each attempt for seven days: its row's TTL is no earlier", async () => {
  const one = await putDue(testEnv.now() + 20 * MINUTE);
  const { Items = [] } = await testEnv.table.client.send(
    new ScanCommand({
      TableName: testEnv.table.name,
      FilterExpression: "t = :t",
      ExpressionAttributeValues: { ":t": one.tenant },
    }),
  );
  expect(Items.map((item) => item.x)).toEqual([Math.ceil((one.dueAt + 7 * DAY) / SECOND)]);
});

it("a sweep finds what came due within the last day when it is the first one", async () => {
  const { client, name: TableName } = testEnv.table;
  await client.send(new DeleteCommand({ TableName, Key: { PK: "Q", SK: "SWEPT" } }));
  const one = await putDue(testEnv.now() + 16 * MINUTE);
  testEnv.advance(20 * HOUR);
  await sweep();
  expect(await receiveRetries()).toEqual([one.eventUlid]);
});

it("a sweep saves its checkpoint, and a slower sweep never moves it back", async () => {
  const now = testEnv.now();
  const checkpointAt = async () => (await due().checkpoint())?.at;
  await sweep();
  expect(await checkpointAt()).toBe(now + 2 * MINUTE);
  await due().saveCheckpoint(cursorAfter(now + MINUTE));
  expect(await checkpointAt()).toBe(now + 2 * MINUTE);
  await due().saveCheckpoint(cursorAfter(now + 2 * MINUTE));
  expect(await checkpointAt()).toBe(now + 2 * MINUTE);
  await due().saveCheckpoint(cursorAfter(now + 2 * MINUTE + 1));
  expect(await checkpointAt()).toBe(now + 2 * MINUTE + 1);
});

it("a sweep is harmless beside another: an item that is sent twice has the same token", async () => {
  const all = await Promise.all(Array.from({ length: 12 }, (_, i) => putDue(testEnv.now() + i * SECOND)));
  await Promise.all([sweep(), sweep()]);
  testEnv.advance(MINUTE);
  expect([...new Set(await receiveRetries())].sort()).toEqual(all.map(({ eventUlid }) => eventUlid).sort());
  await sweep();
  expect(await receiveRetries()).toEqual([]);
});

it("a sweep that dies at any of its calls is completed by the next one", async () => {
  for (let k = 0; ; k++) {
    const all = await Promise.all([0, 1].map((i) => putDue(testEnv.now() + i * SECOND)));
    let reached = false;
    const end = injectFaults(testEnv.client, ({ index }) => {
      reached ||= index === k;
      return index >= k ? "crash" : "pass";
    });
    await sweep().catch(() => {});
    end();
    testEnv.advance(MINUTE);
    await sweep();
    expect([...new Set(await receiveRetries())].sort()).toEqual(all.map(({ eventUlid }) => eventUlid).sort());
    testEnv.advance(5 * MINUTE);
    if (!reached) return;
  }
});

it("a sweep leaves the checkpoint unchanged when the queue refuses", async () => {
  await sweep();
  const checkpoint = await due().checkpoint();
  const one = await putDue(testEnv.now() + 3 * MINUTE);
  testEnv.advance(2 * MINUTE);
  const missingQueue = { ...queues, deliveries: `${queues.deliveries}-gone` };
  await expect(sweepDue(testEnv.sweepPorts(missingQueue), testEnv.now())).rejects.toThrow(
    "The specified queue does not exist",
  );
  expect(await due().checkpoint()).toEqual(checkpoint);
  await sweep();
  testEnv.advance(MINUTE);
  expect(await receiveRetries()).toEqual([one.eventUlid]);
});
