import { beforeEach, expect, it } from "vitest";
import { ATTEMPTS_MAX } from "#base/kernel/limits.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { runWithTrace } from "#base/kernel/trace.ts";
import { decodeEvent, encodeEvent } from "#features/delivery/event-queue.ts";
import { sweepDue } from "#features/delivery/flows/sweep/due.ts";
import { deliveryId } from "#features/delivery/rules/deliveries.ts";
import { startReceiver } from "../../../base/net/receiver.ts";
import { openEndpointFixture } from "../../../support/flows/endpoint-fixture.ts";
import { invokeWorker, receiveAllMessages } from "../../../support/flows/queue-worker.ts";
import { createEndpointAt, recordMessage } from "../../../support/flows/test-endpoints.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { countedMetrics } from "../../../support/metering/counted-metrics.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import { auditOf } from "../../access/store/support/team-samples.ts";

const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openEndpointFixture(testEnv));
beforeEach(() => {
  testEnv.lines.length = 0;
});

const attempts = () => testEnv.lines.flatMap((line) => (line.event === "delivery.attempted" ? [line] : []));

async function drain(queue: "events" | "deliveries" | "slowDeliveries"): Promise<void> {
  expect((await invokeWorker(testEnv.eventSource, fixture.queues[queue], fixture.worker)).failed).toEqual([]);
}

/** Publishes a message event under a trace ID to an endpoint that responds with these statuses in turn. */
async function publish(traceId: string, statuses: number[] = [], name = "m1") {
  const receiver = await startReceiver((response) => void response.writeHead(statuses.shift() ?? 200).end());
  const endpoint = await createEndpointAt(
    testEnv,
    fixture.queues,
    fixture.tenant,
    `http://127.0.0.1:${receiver.port}/hook`,
  );
  return { endpoint, eventUlid: await publishEvent(traceId, name) };
}

/** Publishes a message event under a trace ID. Returns its ULID. */
async function publishEvent(traceId: string, name: string): Promise<string> {
  const { message, body } = await recordMessage(testEnv, fixture.tenant, name);
  const event = decodeEvent(body) ?? expect.unreachable("not an event");
  const traced = runWithTrace(traceId, () => encodeEvent(event));
  await fixture.deliverPorts.events.send({ body: traced });
  return message.eventUlid;
}

it("each attempt is logged in one line, under the trace ID of the request that caused it", async () => {
  const { endpoint, eventUlid } = await publish("request-1", [503, 204]);
  await drain("events");
  testEnv.advance(6 * SECOND);
  await drain("deliveries");
  const common = {
    event: "delivery.attempted",
    tenant: fixture.tenant,
    endpoint: endpoint.id,
    event_id: `evt_${eventUlid}`,
    event_type: "message.received",
    delivery: deliveryId(eventUlid, endpoint.id),
    attempts_max: ATTEMPTS_MAX,
    duration_ms: expect.any(Number),
    breaker: "closed",
    trace_id: "request-1",
  };
  expect(attempts()).toEqual([
    {
      ...common,
      attempt: 1,
      verdict: "retrying",
      response_status: 503,
      error: "status",
      next_retry_at: expect.stringMatching(/^2.*Z$/),
    },
    { ...common, attempt: 2, verdict: "delivered", response_status: 204, error: null, next_retry_at: null },
  ]);
});

it("the trace ID stays with an attempt that waits in a due bucket, until the last attempt", async () => {
  await publish("request-2", Array<number>(ATTEMPTS_MAX).fill(500));
  await drain("events");
  for (let next = attempts().at(-1)?.next_retry_at; next; next = attempts().at(-1)?.next_retry_at) {
    testEnv.advance(Date.parse(next) - testEnv.now() + SECOND);
    await sweepDue(testEnv.sweepPorts(fixture.queues), testEnv.now());
    await drain("deliveries");
  }
  const retries = attempts();
  expect(retries.map(({ attempt }) => attempt)).toEqual(Array.from({ length: ATTEMPTS_MAX }, (_, i) => i + 1));
  expect(new Set(retries.map(({ trace_id }) => trace_id))).toEqual(new Set(["request-2"]));
  expect(retries.at(-1)).toMatchObject({ verdict: "dlq", next_retry_at: null });
});

it("the trace ID stays with a delivery that waits for its endpoint, in the probe and after the drain", async () => {
  const { endpoint } = await publish("request-6", Array<number>(10).fill(500));
  for (let i = 2; i <= 10; i++) await publishEvent("request-6", `m${i}`);
  await drain("events");
  const waiting = [await publishEvent("request-7", "m11"), await publishEvent("request-8", "m12")];
  await drain("events");
  const traceIds = (eventUlid: string) =>
    attempts().flatMap(({ delivery, trace_id }) => (delivery === deliveryId(eventUlid, endpoint.id) ? [trace_id] : []));
  expect(waiting.map(traceIds)).toEqual([[], []]);
  for (let minute = 0; minute < 30 && waiting.some((ulid) => traceIds(ulid).length === 0); minute++) {
    testEnv.advance(MINUTE);
    await sweepDue(testEnv.sweepPorts(fixture.queues), testEnv.now());
    for (const queue of ["deliveries", "slowDeliveries", "deliveries"] as const) await drain(queue);
  }
  expect(waiting.map((ulid) => new Set(traceIds(ulid)))).toEqual([new Set(["request-7"]), new Set(["request-8"])]);
  const probed = attempts().filter(({ attempt, verdict }) => attempt === 2 && verdict === "delivered");
  expect(new Set(probed.map(({ trace_id }) => trace_id))).toEqual(new Set(["request-6"]));
});

it("the first status of a delivery that is not attempted is logged as attempt 0", async () => {
  const { endpoint } = await publish("request-3");
  const pause = { url: endpoint.url, pausedEvent: endpoint.id };
  await fixture.ports.endpoints.pause(fixture.tenant, endpoint.id, pause, auditOf("webhook.auto_pause", testEnv.now()));
  await drain("events");
  expect(attempts()).toEqual([]);
  const [line, ...others] = testEnv.lines.filter(({ event }) => event === "delivery.not_attempted");
  expect(line).toMatchObject({ attempt: 0, verdict: "blocked", response_status: null, duration_ms: null });
  expect(others).toEqual([]);
});

it("each event of a batch keeps its trace ID", async () => {
  const first = await publish("request-4");
  const second = await publish("request-5", [], "m2");
  await drain("events");
  const traceIds = new Map(attempts().map(({ delivery, trace_id }) => [delivery, trace_id]));
  for (const [{ eventUlid }, traceId] of [
    [first, "request-4"],
    [second, "request-5"],
  ] as const) {
    expect(traceIds.get(deliveryId(eventUlid, first.endpoint.id))).toBe(traceId);
    expect(traceIds.get(deliveryId(eventUlid, second.endpoint.id))).toBe(traceId);
  }
});

it("a retry is counted once, and its delivery once with the time since its event was stored", async () => {
  await publish("request-9", [503, 204]);
  await drain("events");
  expect(countedMetrics(testEnv.lines)).toEqual([{ Stored: 1 }]);
  testEnv.lines.length = 0;
  testEnv.advance(6 * SECOND);
  await drain("deliveries");
  expect(countedMetrics(testEnv.lines)).toEqual([{ Retries: 1, Delivered: 1, DeliveryLatency: 6 * SECOND }]);
});

it("a first delivery is counted once with the time since its webhook arrived, also when its message comes twice", async () => {
  const { eventUlid } = await publish("request-10");
  const [queued] = await receiveAllMessages(testEnv.eventSource, fixture.queues.events);
  const event = decodeEvent(queued?.body ?? "") ?? expect.unreachable("not an event");
  const body = encodeEvent({ ...event, receivedAt: testEnv.now() - 4 * SECOND });
  for (const repeated of [false, true]) {
    await fixture.deliverPorts.events.send({ body: repeated ? encodeEvent({ ...event, repeated }) : body });
    await drain("events");
  }
  expect(event.eventUlid).toBe(eventUlid);
  expect(countedMetrics(testEnv.lines)).toEqual([{ Delivered: 1, Stored: 1, DeliveryLatency: 4 * SECOND }]);
});
