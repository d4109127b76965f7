import fc from "fast-check";
import { beforeEach, expect, it } from "vitest";
import type { QueueMessage } from "#base/aws/queues.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { DAY, HOUR, iso, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { cursorAfter } from "#base/table/due-queue.ts";
import { sweepDue } from "#features/delivery/flows/sweep/due.ts";
import { dueStore } from "#features/delivery/store/due-attempts.ts";
import { dueKey } from "#features/delivery/store/keys.ts";
import { type FaultPoint, faultPoints, injectFaultAt } from "../../../support/flows/fault-injection.ts";
import { invokeWorker } from "../../../support/flows/queue-worker.ts";
import { openTestEnv, type TestQueues } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { decodeRetry } from "../../../support/pipeline/deliveries-messages.ts";
import { repetitions } from "../../../support/sampling.ts";
import { newTenant } from "../../../support/stores/samples.ts";

// Sweeps that end before they have handled every due item.

let queues: TestQueues;
const tenant = newTenant();
const testEnv = openedOnce(openTestEnv);
beforeEach(() => advanceAWhile());

/** Advances the clock by days and the checkpoint with it: the rows of earlier tests are not read again. */
async function advanceAWhile(): Promise<void> {
  testEnv.advance(30 * DAY);
  queues = await testEnv.newQueues();
  await due().saveCheckpoint(cursorAfter(testEnv.now()));
}

const due = () => dueStore(testEnv.table);
const sweep = (hasTime?: () => boolean) => sweepDue(testEnv.sweepPorts(queues), testEnv.now(), hasTime);

interface DueRow {
  readonly eventUlid: string;
  readonly key: string;
}

async function putDue(dueAt: Millis): Promise<DueRow> {
  const [endpointId, eventUlid] = [newUlid(dueAt), newUlid(dueAt)];
  await due().put({ tenant, endpointId, eventUlid, attempt: 4, dueAt });
  return { eventUlid, key: dueKey(dueAt, endpointId, eventUlid, 4).SK };
}

const putAll = (instants: readonly Millis[]) => Promise.all(instants.map(putDue));

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

const ulids = (all: readonly DueRow[]) => all.map(({ eventUlid }) => eventUlid).sort();

/** A budget of this many pages. */
function pageBudget(count: number): () => boolean {
  let pagesStarted = 0;
  return () => pagesStarted++ < count;
}

it("a sweep that is cut off after 300 messages each time sends everything within a few minutes, earliest first", async () => {
  await sweep();
  const start = testEnv.now();
  const all = await putAll([
    ...Array.from({ length: 400 }, (_, i) => start + 3 * MINUTE + i * SECOND),
    ...Array.from({ length: 10 }, (_, i) => start + 20 * MINUTE + i * MINUTE),
  ]);
  testEnv.advance(15 * MINUTE);
  const behind: Millis[] = [];
  for (let minute = 0; minute < 16; minute++) {
    let sweptCount = 0;
    const { retries, ...ports } = testEnv.sweepPorts(queues);
    const sendAll = async (messages: readonly QueueMessage[]) => {
      sweptCount += messages.length;
      if (sweptCount > 300) throw new Error("cut off");
      await retries.sendAll(messages);
    };
    await sweepDue({ ...ports, retries: { ...retries, sendAll } }, testEnv.now()).catch(() => {});
    behind.push(testEnv.now() + 2 * MINUTE - ((await due().checkpoint())?.at ?? 0));
    testEnv.advance(MINUTE);
  }
  expect(behind.slice(1)).toEqual(Array(15).fill(0));
  expect([...new Set(await receiveRetries())].sort()).toEqual(ulids(all));
});

it.each(faultPoints)(
  "a sweep that is cut off (%s) at any calls checkpoints only what it sent, and nothing is left out",
  async (faultPoint) => {
    const instants = fc.array(
      fc.record({
        wait: fc.oneof(fc.constant(20 * MINUTE), fc.integer({ min: 0, max: 5 * HOUR })),
        times: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 90 })),
      }),
      { minLength: 1, maxLength: 10 },
    );
    const ends = fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(instants, ends, async (groups, calls) => {
        await advanceAWhile();
        await sweep();
        const start = testEnv.now() + 5 * MINUTE;
        const all = await putAll(groups.flatMap(({ wait, times }) => Array(times).fill(start + wait)));
        testEnv.advance(6 * HOUR);
        const received = new Set<string>();
        for (const k of calls) {
          await sweepWithFault(faultPoint, k);
          for (const event of await receiveRetries()) received.add(event);
          const checkpoint = (await due().checkpoint())?.key ?? "";
          expect(all.filter(({ eventUlid, key }) => key <= checkpoint && !received.has(eventUlid))).toEqual([]);
        }
        await sweep();
        for (const event of await receiveRetries()) received.add(event);
        expect([...received].sort()).toEqual(ulids(all));
        expect((await due().checkpoint())?.at).toBe(testEnv.now() + 2 * MINUTE);
      }),
      { numRuns: repetitions({ whole: 8, sample: 4 }), seed: 7 },
    );
  },
  60_000,
);

it("a sweep that is cut off right after its first page each time leaves one page less to the next sweep", async () => {
  await sweep();
  const all = await putAll(Array.from({ length: 350 }, () => testEnv.now() + 5 * MINUTE));
  testEnv.advance(HOUR);
  const received: number[] = [];
  const [readCheckpoint, shards, requests, saveCheckpoint] = [1, 8, 10, 1];
  for (let minute = 0; minute < 4; minute++) {
    await sweepWithFault("before", readCheckpoint + shards + requests + saveCheckpoint);
    received.push((await receiveRetries()).length);
  }
  expect(received).toEqual([100, 100, 100, 50]);
  expect(all).toHaveLength(350);
});

async function sweepWithFault(faultPoint: FaultPoint, k: number): Promise<void> {
  const injection = injectFaultAt(testEnv.clients, faultPoint, k);
  await sweep().catch(() => {});
  injection.remove();
}

it("a sweep that is short of time ends by itself and leaves the checkpoint unchanged", async () => {
  await sweep();
  const checkpoint = await due().checkpoint();
  await putAll([testEnv.now() + 5 * MINUTE]);
  testEnv.advance(10 * MINUTE);
  await sweep(() => false);
  expect(await due().checkpoint()).toEqual(checkpoint);
  expect(await receiveRetries()).toEqual([]);
});

it("a sweep that is short of time is continued from its last page, also within one instant, and sends nothing twice", async () => {
  await sweep();
  const instant = testEnv.now() + 5 * MINUTE;
  const all = await putAll(Array.from({ length: 350 }, () => instant));
  testEnv.advance(10 * MINUTE);
  await sweep(pageBudget(2));
  expect((await due().checkpoint())?.at).toBe(instant);
  const first = await receiveRetries();
  expect(first.sort()).toEqual(ulids(all.toSorted((a, b) => (a.key < b.key ? -1 : 1)).slice(0, 200)));
  await sweep();
  expect([...first, ...(await receiveRetries())].sort()).toEqual(ulids(all));
});

it("a sweep that is short of time passes an empty hour without a request to the table, and logs its position", async () => {
  await sweep();
  const one = testEnv.now() + 5 * MINUTE;
  const [earlyRow] = await putAll([one, one + 3 * HOUR]);
  testEnv.advance(5 * HOUR);
  testEnv.lines.length = 0;
  await sweep(pageBudget(2));
  expect(await receiveRetries()).toEqual([earlyRow?.eventUlid]);
  const endOfHour = one - (one % HOUR) + HOUR - 1;
  expect((await due().checkpoint())?.at).toBe(endOfHour);
  expect(testEnv.lines).toEqual([{ event: "sweep.completed", enqueued: 1, swept_until: iso(endOfHour) }]);
});

it("due items are read in order, a hundred to a page, however they are spread over the shards", async () => {
  const hourStart = testEnv.now() - (testEnv.now() % HOUR);
  const all = await putAll(Array.from({ length: 1_500 }, (_, i) => hourStart + ((i * 7_919) % HOUR)));
  const keys: string[] = [];
  const sizes: number[] = [];
  for await (const { items, cursor: upTo } of due().between(hourStart - 1, hourStart + HOUR - 1)) {
    const page = items.flatMap((item) => (item.kind === "attempt" ? [item] : []));
    keys.push(...page.map((item) => dueKey(item.dueAt, item.endpointId, item.eventUlid, item.attempt).SK));
    sizes.push(page.length);
    expect(upTo.key >= (keys.at(-1) ?? "")).toBe(true);
  }
  expect(keys).toEqual(all.map(({ key }) => key).sort());
  expect(sizes).toEqual([0, ...Array(15).fill(100)]);
});
