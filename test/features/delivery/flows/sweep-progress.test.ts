import fc from "fast-check";
import { beforeEach, expect, it } from "vitest";
import type { QueueMessage } from "#base/aws/queues.ts";
import { HOUR, iso, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { sweepDue } from "#features/delivery/flows/sweep/due.ts";
import { dueKey } from "#features/delivery/store/items.ts";
import { type FaultPoint, faultPoints, injectFaultAt } from "../../../support/flows/fault-injection.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { repetitions } from "../../../support/sampling.ts";
import { openSweepFixture, ulidsOf } from "./support/sweep-fixture.ts";

// Sweeps that end before they have handled every due item.

const testEnv = openedOnce(openTestEnv);
let fixture: Awaited<ReturnType<typeof openSweepFixture>>;
/** Opens the fixture of a run: the rows of earlier runs are not read again. */
const open = async () => {
  fixture = await openSweepFixture(testEnv);
};
beforeEach(open);

/** A budget of this many pages. */
function pageBudget(count: number): () => boolean {
  let pagesStarted = 0;
  return () => pagesStarted++ < count;
}

it("a sweep that is cut off after 300 messages each time sends everything within a few minutes, earliest first", async () => {
  await fixture.sweep();
  const start = testEnv.now();
  const all = await fixture.putAll([
    ...Array.from({ length: 400 }, (_, i) => start + 3 * MINUTE + i * SECOND),
    ...Array.from({ length: 10 }, (_, i) => start + 20 * MINUTE + i * MINUTE),
  ]);
  testEnv.advance(15 * MINUTE);
  const behind: Millis[] = [];
  for (let minute = 0; minute < 16; minute++) {
    let sweptCount = 0;
    const { retries, ...ports } = testEnv.sweepPorts(fixture.queues);
    const sendAll = async (messages: readonly QueueMessage[]) => {
      sweptCount += messages.length;
      if (sweptCount > 300) throw new Error("cut off");
      await retries.sendAll(messages);
    };
    await sweepDue({ ...ports, retries: { ...retries, sendAll } }, testEnv.now()).catch(() => {});
    behind.push(testEnv.now() + 2 * MINUTE - ((await fixture.due.checkpoint())?.at ?? 0));
    testEnv.advance(MINUTE);
  }
  expect(behind.slice(1)).toEqual(Array(15).fill(0));
  expect([...new Set(await fixture.receiveRetries())].sort()).toEqual(ulidsOf(all));
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
        await open();
        await fixture.sweep();
        const start = testEnv.now() + 5 * MINUTE;
        const all = await fixture.putAll(groups.flatMap(({ wait, times }) => Array(times).fill(start + wait)));
        testEnv.advance(6 * HOUR);
        const received = new Set<string>();
        for (const k of calls) {
          await sweepWithFault(faultPoint, k);
          for (const event of await fixture.receiveRetries()) received.add(event);
          const checkpoint = (await fixture.due.checkpoint())?.key ?? "";
          expect(all.filter(({ eventUlid, key }) => key <= checkpoint && !received.has(eventUlid))).toEqual([]);
        }
        await fixture.sweep();
        for (const event of await fixture.receiveRetries()) received.add(event);
        expect([...received].sort()).toEqual(ulidsOf(all));
        expect((await fixture.due.checkpoint())?.at).toBe(testEnv.now() + 2 * MINUTE);
      }),
      { numRuns: repetitions({ whole: 8, sample: 4 }), seed: 7 },
    );
  },
  60_000,
);

it("a sweep that is cut off right after its first page each time leaves one page less to the next sweep", async () => {
  await fixture.sweep();
  const all = await fixture.putAll(Array.from({ length: 350 }, () => testEnv.now() + 5 * MINUTE));
  testEnv.advance(HOUR);
  const received: number[] = [];
  const [readCheckpoint, shards, requests, saveCheckpoint] = [1, 8, 10, 1];
  for (let minute = 0; minute < 4; minute++) {
    await sweepWithFault("before", readCheckpoint + shards + requests + saveCheckpoint);
    received.push((await fixture.receiveRetries()).length);
  }
  expect(received).toEqual([100, 100, 100, 50]);
  expect(all).toHaveLength(350);
});

async function sweepWithFault(faultPoint: FaultPoint, k: number): Promise<void> {
  const injection = injectFaultAt(testEnv.clients, faultPoint, k);
  await fixture.sweep().catch(() => {});
  injection.remove();
}

it("a sweep that is short of time ends by itself and leaves the checkpoint unchanged", async () => {
  await fixture.sweep();
  const checkpoint = await fixture.due.checkpoint();
  await fixture.putAll([testEnv.now() + 5 * MINUTE]);
  testEnv.advance(10 * MINUTE);
  await fixture.sweep(() => false);
  expect(await fixture.due.checkpoint()).toEqual(checkpoint);
  expect(await fixture.receiveRetries()).toEqual([]);
});

it("a sweep that is short of time is continued from its last page, also within one instant, and sends nothing twice", async () => {
  await fixture.sweep();
  const instant = testEnv.now() + 5 * MINUTE;
  const all = await fixture.putAll(Array.from({ length: 350 }, () => instant));
  testEnv.advance(10 * MINUTE);
  await fixture.sweep(pageBudget(2));
  expect((await fixture.due.checkpoint())?.at).toBe(instant);
  const first = await fixture.receiveRetries();
  expect(first.sort()).toEqual(ulidsOf(all.toSorted((a, b) => (a.key < b.key ? -1 : 1)).slice(0, 200)));
  await fixture.sweep();
  expect([...first, ...(await fixture.receiveRetries())].sort()).toEqual(ulidsOf(all));
});

it("a sweep that is short of time passes an empty hour without a request to the table, and logs its position", async () => {
  await fixture.sweep();
  const one = testEnv.now() + 5 * MINUTE;
  const [earlyRow] = await fixture.putAll([one, one + 3 * HOUR]);
  testEnv.advance(5 * HOUR);
  testEnv.lines.length = 0;
  await fixture.sweep(pageBudget(2));
  expect(await fixture.receiveRetries()).toEqual([earlyRow?.eventUlid]);
  const endOfHour = one - (one % HOUR) + HOUR - 1;
  expect((await fixture.due.checkpoint())?.at).toBe(endOfHour);
  expect(testEnv.lines).toEqual([{ event: "sweep.completed", enqueued: 1, swept_until: iso(endOfHour) }]);
});

it("due items are read in order, a hundred to a page, however they are spread over the shards", async () => {
  const hourStart = testEnv.now() - (testEnv.now() % HOUR);
  const all = await fixture.putAll(Array.from({ length: 1_500 }, (_, i) => hourStart + ((i * 7_919) % HOUR)));
  const keys: string[] = [];
  const sizes: number[] = [];
  for await (const { items, cursor: upTo } of fixture.due.between(hourStart - 1, hourStart + HOUR - 1)) {
    const page = items.flatMap((item) => (item.kind === "attempt" ? [item] : []));
    keys.push(...page.map((item) => dueKey(item.dueAt, item.endpointId, item.eventUlid, item.attempt).SK));
    sizes.push(page.length);
    expect(upTo.key >= (keys.at(-1) ?? "")).toBe(true);
  }
  expect(keys).toEqual(all.map(({ key }) => key).sort());
  expect(sizes).toEqual([0, ...Array(15).fill(100)]);
});
