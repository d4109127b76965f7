import { expect, it } from "vitest";
import { MOVE_TO_SLOW_AFTER, SLOW_IN_FLIGHT_MAX } from "#base/kernel/limits.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { freshWorkspace } from "../../../bench/scenarios.ts";
import { openedOnce } from "../../../support/opened.ts";
import { type LoadCall, runLoad } from "../../../support/pipeline/load.ts";
import { healthy, type ReceiverBehavior, virtualReceivers } from "../../../support/pipeline/virtual-receivers.ts";
import { startPipeline } from "../../../support/pipeline.ts";
import { repetitions } from "../../../support/sampling.ts";
import { startFlowTable } from "../../../support/world/flow-table.ts";

// The real worker, table and queues in virtual time: one receiver of twenty has a problem, which must not affect
// the others.

const ENDPOINTS = 20;
const EVENTS = repetitions({ whole: 60, sample: 30 });
const SLOW_EVENTS = repetitions({ whole: 120, sample: 60 });
const receivers = virtualReceivers();
const pipeline = openedOnce(() =>
  startPipeline({
    webhookClient: receivers.webhookClient,
    startTable: startFlowTable,
    isMetered: false,
  }),
);

const isFailing = (url: string) => url.endsWith("/0");

/** The largest number of calls in progress at once. */
function maxConcurrent(calls: readonly LoadCall[]): number {
  const endTimes = calls.map(({ endedAt }) => endedAt ?? Number.POSITIVE_INFINITY);
  return Math.max(
    ...calls.map(
      ({ startedAt }) =>
        calls.filter((other, i) => other.startedAt <= startedAt && (endTimes[i] ?? 0) > startedAt).length,
    ),
  );
}

it.each<{ what: string; trouble: ReceiverBehavior }>([
  { what: "never responds", trouble: () => null },
  { what: "responds after ten seconds each time", trouble: () => ({ duration: 10 * SECOND, status: 200 }) },
  { what: "fails after ten seconds each time", trouble: () => ({ duration: 10 * SECOND, status: 503 }) },
])("one endpoint of twenty $what: no event of another endpoint waits for it", async ({ trouble }) => {
  const workspace = await freshWorkspace(pipeline, { endpoints: ENDPOINTS });
  const behavior: ReceiverBehavior = (url, event) => (isFailing(url) ? trouble(url, event) : healthy(url, event));
  // An event arrives every half second, and there are four invocations: three of them see the receiver hang.
  const calls = await runLoad(pipeline, receivers, [{ workspace, events: EVENTS, interval: SECOND / 2 }], {
    concurrency: 4,
    behavior,
    drainTime: 30 * SECOND,
  });
  const others = calls.filter(({ url }) => !isFailing(url));
  expect(others).toHaveLength(EVENTS * (ENDPOINTS - 1));
  for (const { url, event, startedAt, arrivedAt } of others)
    expect(startedAt - arrivedAt, `${event} to ${url}`).toBe(0);
});

it("a slow endpoint has a limited number of attempts in flight, however many processes there are", async () => {
  const workspace = await freshWorkspace(pipeline, { endpoints: 1 });
  const calls = await runLoad(pipeline, receivers, [{ workspace, events: SLOW_EVENTS, interval: SECOND / 10 }], {
    concurrency: 40,
    behavior: () => ({ duration: 10 * SECOND, status: 200 }),
    // An attempt that finds no free slot several times waits for two minutes each time.
    drainTime: 15 * MINUTE,
  });
  // Calls that started before the endpoint was known to be slow moved to the slow queue.
  const slowKnownAt = Math.min(...calls.map(({ arrivedAt }) => arrivedAt)) + MOVE_TO_SLOW_AFTER;
  const slow = calls.filter(({ startedAt }) => startedAt > slowKnownAt);
  const moved = calls.filter(({ startedAt }) => startedAt <= slowKnownAt);
  expect(maxConcurrent(slow)).toBe(SLOW_IN_FLIGHT_MAX);
  expect(new Set(slow.map(({ event }) => event)).size).toBe(SLOW_EVENTS);
  expect(slow).toHaveLength(SLOW_EVENTS);
  // The event that arrives at that instant may or may not see the mark.
  const beforeMark = MOVE_TO_SLOW_AFTER / (SECOND / 10);
  expect([beforeMark, beforeMark + 1]).toContain(moved.length);
  expect(new Set(moved.map(({ startedAt, endedAt }) => (endedAt ?? 0) - startedAt))).toEqual(
    new Set([MOVE_TO_SLOW_AFTER]),
  );
});
