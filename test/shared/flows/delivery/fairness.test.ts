import { afterAll, beforeAll, expect, it } from "vitest";
import { SLOW_IN_FLIGHT_MAX } from "../../../../shared/domain/limits.ts";
import { SECOND } from "../../../../shared/kernel/time.ts";
import { freshWorkspace } from "../../../bench/scenarios.ts";
import { type LoadCall, runLoad } from "../../../support/pipeline/load.ts";
import { type Manner, virtualReceivers, well } from "../../../support/pipeline/virtual-receivers.ts";
import { type Pipeline, startPipeline } from "../../../support/pipeline.ts";

// The real worker, table and queues, in virtual time: one receiver of twenty is in trouble, the others are to see
// nothing of it.

const ENDPOINTS = 20;
const EVENTS = 60;
const receivers = virtualReceivers();
let pipeline: Pipeline;
beforeAll(async () => {
  pipeline = await startPipeline({ poster: receivers.poster });
});
afterAll(() => pipeline.close());

const inTrouble = (url: string) => url.endsWith("/0");

/** How many of the calls were under way at once at most. */
function mostAtOnce(calls: readonly LoadCall[]): number {
  const ends = calls.map(({ endedAt }) => endedAt ?? Number.POSITIVE_INFINITY);
  return Math.max(
    ...calls.map(
      ({ begunAt }) => calls.filter((other, i) => other.begunAt <= begunAt && (ends[i] ?? 0) > begunAt).length,
    ),
  );
}

it.each<{ what: string; trouble: Manner }>([
  { what: "never answers", trouble: () => null },
  { what: "answers after ten seconds, always", trouble: () => ({ takes: 10 * SECOND, status: 200 }) },
  { what: "fails after ten seconds, always", trouble: () => ({ takes: 10 * SECOND, status: 503 }) },
])("one endpoint of twenty $what: no event of another waits for it", async ({ trouble }) => {
  const workspace = await freshWorkspace(pipeline, { endpoints: ENDPOINTS });
  const manner: Manner = (url, event) => (inTrouble(url) ? trouble(url, event) : well(url, event));
  // An event comes every half second, and eight invocations are to do: six of them see the receiver hang.
  const calls = await runLoad(pipeline, receivers, workspace, {
    events: EVENTS,
    every: SECOND / 2,
    atOnce: 8,
    manner,
    after: 30 * SECOND,
  });
  const others = calls.filter(({ url }) => !inTrouble(url));
  expect(others).toHaveLength(EVENTS * (ENDPOINTS - 1));
  for (const { url, event, begunAt, cameAt } of others) expect(begunAt - cameAt, `${event} to ${url}`).toBe(0);
});

it("a slow endpoint has so many attempts in flight and no more, however many processes there are", async () => {
  const workspace = await freshWorkspace(pipeline, { endpoints: 1 });
  const calls = await runLoad(pipeline, receivers, workspace, {
    events: 120,
    every: SECOND / 10,
    atOnce: 40,
    manner: () => ({ takes: 10 * SECOND, status: 200 }),
    after: 300 * SECOND,
  });
  // Those that were begun before it was known to be slow were first attempts.
  const known = Math.min(...calls.map(({ cameAt }) => cameAt)) + 3 * SECOND;
  const slow = calls.filter(({ begunAt }) => begunAt > known);
  expect(slow.length).toBeGreaterThan(80);
  expect(mostAtOnce(slow)).toBe(SLOW_IN_FLIGHT_MAX);
  expect(new Set(calls.map(({ event }) => event)).size).toBe(120);
  expect(calls).toHaveLength(120);
});
