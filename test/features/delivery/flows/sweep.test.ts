import { expect, it } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { cursorAfter } from "#base/table/due-queue.ts";
import { sweepDue } from "#features/delivery/flows/sweep/due.ts";
import { injectFaults } from "../../../support/faults.ts";
import { queueDepth } from "../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import { deleteItem, scanItems } from "../../../support/stores/items.ts";
import { seededFraction } from "../../../support/stores/samples.ts";
import { openSweepFixture, ulidsOf } from "./support/sweep-fixture.ts";

const testEnv = openedOnce(openTestEnv);
// Each test starts a minute after a sweep.
const fixture = openedEach(() => openSweepFixture(testEnv, MINUTE));

it("a sweep sends each due attempt once, for any due time", async () => {
  const start = testEnv.now();
  const waits = Array.from({ length: 120 }, (_, i) => Math.floor(seededFraction(`wait ${i}`) * 3 * HOUR));
  const all = await Promise.all([0, 1, ...waits].map((wait) => fixture.putDue(start + 16 * MINUTE + wait)));
  for (let minute = 0; minute < 200; minute += 1 + Math.floor(seededFraction(`pause ${minute}`) * 9)) {
    await fixture.sweep();
    testEnv.advance((1 + Math.floor(seededFraction(`pause ${minute}`) * 9)) * MINUTE);
  }
  await fixture.sweep();
  testEnv.advance(15 * MINUTE);
  expect((await fixture.receiveRetries()).sort()).toEqual(ulidsOf(all));
});

it("a sweep delays what is due within two minutes to the second, and leaves what is due later", async () => {
  const now = testEnv.now();
  const inAMinute = await fixture.putDue(now + 61 * SECOND);
  const atTheEdge = await fixture.putDue(now + 2 * MINUTE);
  const behindIt = await fixture.putDue(now + 2 * MINUTE + 1);
  await fixture.sweep();
  expect(await queueDepth(testEnv.eventSource, fixture.queues.deliveries)).toBe(2);
  testEnv.advance(61 * SECOND - 1);
  expect(await fixture.receiveRetries()).toEqual([]);
  testEnv.advance(1);
  expect(await fixture.receiveRetries()).toEqual([inAMinute.eventUlid]);
  testEnv.advance(59 * SECOND);
  expect(await fixture.receiveRetries()).toEqual([atTheEdge.eventUlid]);
  await fixture.sweep();
  testEnv.advance(SECOND);
  expect(await fixture.receiveRetries()).toEqual([behindIt.eventUlid]);
});

it("a sweep catches up after days without a sweep", async () => {
  await fixture.sweep();
  const start = testEnv.now();
  const all = await Promise.all([20 * MINUTE, DAY, 2 * DAY + 1, 3 * DAY].map((wait) => fixture.putDue(start + wait)));
  const later = await fixture.putDue(start + 4 * DAY);
  testEnv.advance(3 * DAY);
  await fixture.sweep();
  expect((await fixture.receiveRetries()).sort()).toEqual(ulidsOf(all));
  testEnv.advance(DAY);
  await fixture.sweep();
  expect(await fixture.receiveRetries()).toEqual([later.eventUlid]);
});

it("a sweep finds each attempt for seven days: its row's TTL is no earlier", async () => {
  const one = await fixture.putDue(testEnv.now() + 20 * MINUTE);
  const Items = (await scanItems(testEnv.table)).filter(({ t }) => t === one.tenant);
  expect(Items.map((item) => item.x)).toEqual([Math.ceil((one.dueAt + 7 * DAY) / SECOND)]);
});

it("a sweep finds what came due within the last day when it is the first one", async () => {
  await deleteItem(testEnv.table, { PK: "Q", SK: "SWEPT" });
  const one = await fixture.putDue(testEnv.now() + 16 * MINUTE);
  testEnv.advance(20 * HOUR);
  await fixture.sweep();
  expect(await fixture.receiveRetries()).toEqual([one.eventUlid]);
});

it("a sweep saves its checkpoint, and a slower sweep never moves it back", async () => {
  const now = testEnv.now();
  const checkpointAt = async () => (await fixture.due.checkpoint())?.at;
  await fixture.sweep();
  expect(await checkpointAt()).toBe(now + 2 * MINUTE);
  await fixture.due.saveCheckpoint(cursorAfter(now + MINUTE));
  expect(await checkpointAt()).toBe(now + 2 * MINUTE);
  await fixture.due.saveCheckpoint(cursorAfter(now + 2 * MINUTE));
  expect(await checkpointAt()).toBe(now + 2 * MINUTE);
  await fixture.due.saveCheckpoint(cursorAfter(now + 2 * MINUTE + 1));
  expect(await checkpointAt()).toBe(now + 2 * MINUTE + 1);
});

it("a sweep is harmless beside another: an item that is sent twice has the same token", async () => {
  const all = await Promise.all(Array.from({ length: 12 }, (_, i) => fixture.putDue(testEnv.now() + i * SECOND)));
  await Promise.all([fixture.sweep(), fixture.sweep()]);
  testEnv.advance(MINUTE);
  expect([...new Set(await fixture.receiveRetries())].sort()).toEqual(ulidsOf(all));
  await fixture.sweep();
  expect(await fixture.receiveRetries()).toEqual([]);
});

it("a sweep that dies at any of its calls is completed by the next one", async () => {
  for (let k = 0; ; k++) {
    const all = await Promise.all([0, 1].map((i) => fixture.putDue(testEnv.now() + i * SECOND)));
    let reached = false;
    const end = injectFaults(testEnv.client, ({ index }) => {
      reached ||= index === k;
      return index >= k ? "crash" : "pass";
    });
    await fixture.sweep().catch(() => {});
    end();
    testEnv.advance(MINUTE);
    await fixture.sweep();
    expect([...new Set(await fixture.receiveRetries())].sort()).toEqual(ulidsOf(all));
    testEnv.advance(5 * MINUTE);
    if (!reached) return;
  }
});

it("a sweep leaves the checkpoint unchanged when the queue refuses", async () => {
  await fixture.sweep();
  const checkpoint = await fixture.due.checkpoint();
  const one = await fixture.putDue(testEnv.now() + 3 * MINUTE);
  testEnv.advance(2 * MINUTE);
  const missingQueue = { ...fixture.queues, deliveries: `${fixture.queues.deliveries}-gone` };
  await expect(sweepDue(testEnv.sweepPorts(missingQueue), testEnv.now())).rejects.toThrow(
    "The specified queue does not exist",
  );
  expect(await fixture.due.checkpoint()).toEqual(checkpoint);
  await fixture.sweep();
  testEnv.advance(MINUTE);
  expect(await fixture.receiveRetries()).toEqual([one.eventUlid]);
});
