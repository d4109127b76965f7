import { expect, it } from "vitest";
import { openStreamOutageBench, type StreamRun } from "../../../../bench/stream-outage.ts";
import { openedOnce } from "../../../../support/opened.ts";
import { repetitions } from "../../../../support/sampling.ts";

// The real workers of deliveries and of the stream, in virtual time, as the benchmark measures them.

const EVENTS = repetitions({ whole: 100, sample: 5 });
const LOAD = { tenants: 6, sockets: 3, endpoints: 2, events: EVENTS };
const bench = openedOnce(openStreamOutageBench);

/** What repeats in another run: names and times since its start. */
const callsOf = ({ calls, startedAt }: StreamRun) =>
  calls
    .map(({ url, event, startedAt: calledAt, endedAt }) => ({
      endpoint: url.split("/").at(-1),
      event,
      calledAfter: calledAt - startedAt,
      endedAfter: endedAt === null ? null : endedAt - startedAt,
    }))
    .toSorted(
      (a, b) => a.calledAfter - b.calledAfter || `${a.event} ${a.endpoint}`.localeCompare(`${b.event} ${b.endpoint}`),
    );

it("a management API that never answers delays no delivery: each is made and settled at the same instant as without", async () => {
  const { answering, dead } = await bench.measure(LOAD);
  const deliveries = LOAD.tenants * LOAD.endpoints * LOAD.events;
  expect(answering).toMatchObject({ postsSent: LOAD.tenants * LOAD.sockets * LOAD.events * 2, postsFailed: 0 });
  expect(dead.postsSent).toBe(0);
  expect(dead.postsFailed).toBeGreaterThan(LOAD.tenants * LOAD.sockets);
  expect(callsOf(answering)).toHaveLength(deliveries);
  expect(callsOf(dead)).toEqual(callsOf(answering));
  expect(answering.settled).toHaveLength(deliveries);
  expect(new Set(answering.settled.map(({ status }) => status))).toEqual(new Set(["delivered"]));
  expect(dead.settled).toEqual(answering.settled);
});
