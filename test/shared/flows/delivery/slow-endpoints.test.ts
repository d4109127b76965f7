import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { deliverWorker } from "../../../../functions/deliver/worker.ts";
import { openQueue } from "../../../../shared/aws/queues.ts";
import type { AttemptOutcome } from "../../../../shared/domain/delivery/deliveries.ts";
import type { DeliverPorts } from "../../../../shared/flows/delivery/ports.ts";
import { MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import type { WebhookClient } from "../../../../shared/net/webhook-client.ts";
import { decodeRetry, encodeRetry } from "../../../../shared/queues/deliveries.ts";
import { concurrencySlotStore } from "../../../../shared/stores/delivery/concurrency-slots.ts";
import { FAULT_STEP, faultPoints, firstFault, injectFaultAt } from "../support/fault-injection.ts";
import { type Outage, openOutage } from "../support/outage-fixture.ts";
import { invokeWorker, queueDepth } from "../support/queue-worker.ts";
import { openTestEnv, type TestEnv } from "../support/test-env.ts";

let testEnv: TestEnv;
let outage: Outage;
beforeAll(async () => {
  testEnv = await openTestEnv();
});
afterAll(() => testEnv.close());
beforeEach(async () => {
  outage = await openOutage(testEnv);
});

/** Allows for other work on the machine. */
const pollExpect = <T>(read: () => T) => expect.poll(read, { timeout: 10_000 });

const fastOutcome: AttemptOutcome = { kind: "answered", status: 200, retryAfter: null, durationMs: 5 };
const timeoutOutcome: AttemptOutcome = { kind: "no_answer", error: "timeout", durationMs: 15_000 };
const slowOutcome: AttemptOutcome = { kind: "answered", status: 200, retryAfter: null, durationMs: 3_001 };

/** A worker whose receivers respond at once, except at one path, where each call waits for its release. */
function hangingClient(
  path: string,
  { onSlow, ...rest }: Partial<DeliverPorts> & { onSlow?: (call: () => void) => void } = {},
) {
  const pendingAnswers: ((outcome: AttemptOutcome) => void)[] = [];
  const webhookClient: WebhookClient = {
    async send({ url }, slow) {
      if (!url.endsWith(path)) return fastOutcome;
      if (slow) onSlow?.(slow);
      return new Promise<AttemptOutcome>((resolve) => pendingAnswers.push(resolve));
    },
    close: async () => {},
  };
  const ports = { ...outage.deliverPorts, webhookClient, ...rest };
  const worker = deliverWorker(ports, testEnv.now);
  return {
    held: pendingAnswers,
    events: () => invokeWorker(testEnv.eventSource, outage.lane.events, worker),
    deliveries: () => invokeWorker(testEnv.eventSource, outage.lane.slowDeliveries, worker),
    respond(outcome: AttemptOutcome): void {
      for (const resolve of pendingAnswers.splice(0)) resolve(outcome);
    },
  };
}

it("one endpoint of twenty hangs: after the first batch no event waits for it", async () => {
  const others = await Promise.all(
    Array.from({ length: 19 }, (_, i) => outage.endpointWith({ path: `/other-${i}`, events: ["message.received"] })),
  );
  const hanging = hangingClient("/in");
  await outage.write(1);
  const first = hanging.events();
  await pollExpect(() => hanging.held.length).toBe(1);
  hanging.respond(timeoutOutcome);
  await first;
  expect((await outage.breaker()).slowUntil).toBe(testEnv.now() + 5 * MINUTE);

  const ulids = await outage.write(10);
  // No call is released: this batch would never end if it waited for the hanging one.
  expect((await hanging.events()).failed).toEqual([]);
  expect(hanging.held).toHaveLength(0);
  for (const { endpoint } of others) {
    const rows = await outage.rows(endpoint);
    expect(rows.map(({ status }) => status)).toEqual(Array(11).fill("delivered"));
  }
  const rows = await outage.rows(outage.endpoint);
  expect(rows.filter(({ status, attempt }) => status === "pending" && attempt === 0)).toHaveLength(10);

  const slow = hanging.deliveries();
  await pollExpect(() => hanging.held.length).toBe(10);
  await outage.write(10);
  expect((await hanging.events()).failed).toEqual([]);
  hanging.respond(fastOutcome);
  await slow;
  const statuses = await outage.statuses();
  expect(ulids.map((ulid) => statuses[ulid])).toEqual(Array(10).fill("delivered"));
});

it("a retry of a slow endpoint on the ordinary queue moves to the slow one, without an attempt or a claim", async () => {
  const { eventUlid } = await outage.createDelivery(outage.endpoint, "retrying");
  const slow = { ...(await outage.breaker()), slowUntil: testEnv.now() + 5 * MINUTE };
  await outage.deliverPorts.endpoints.saveBreaker(outage.tenant, await outage.readEndpoint(), slow, testEnv.now());
  const retry = { tenant: outage.tenant, endpointId: outage.endpoint.id, eventUlid, attempt: 2, manual: true };
  await openQueue(outage.lane.deliveries, testEnv.eventSource).send({ body: encodeRetry(retry) });
  await invokeWorker(testEnv.eventSource, outage.lane.deliveries, outage.worker);
  expect(outage.calls()).toEqual([]);
  expect(await outage.row(outage.endpoint, eventUlid)).toMatchObject({ status: "retrying", attempt: 1 });
  const { records } = await invokeWorker(testEnv.eventSource, outage.lane.slowDeliveries, outage.worker);
  expect(records.map(({ body }) => decodeRetry(body))).toEqual([retry]);
  expect(await outage.row(outage.endpoint, eventUlid)).toMatchObject({ status: "delivered", attempt: 2 });
});

it("an endpoint that responds within three seconds for five minutes is called with its event again", async () => {
  const hanging = hangingClient("/in");
  await outage.write(1);
  const first = hanging.events();
  await pollExpect(() => hanging.held.length).toBe(1);
  hanging.respond(slowOutcome);
  await first;
  const quick = hangingClient("/nowhere");
  await outage.write(1);
  await quick.events();
  expect(Object.values(await outage.statuses()).sort()).toEqual(["delivered", "pending"]);
  await quick.deliveries();
  testEnv.advance(5 * MINUTE);
  await outage.write(1);
  await quick.events();
  expect(Object.values(await outage.statuses())).toEqual(Array(3).fill("delivered"));
  expect(await queueDepth(testEnv.eventSource, outage.lane.slowDeliveries)).toBe(0);
});

it("a slow endpoint has limited attempts in flight: the others are deferred, each time for longer", async () => {
  const inFlight = concurrencySlotStore(testEnv.table, { max: 2 });
  const hanging = hangingClient("/in", { concurrencySlots: inFlight });
  await outage.write(1);
  const first = hanging.events();
  await pollExpect(() => hanging.held.length).toBe(1);
  hanging.respond(slowOutcome);
  await first;
  await outage.write(5);
  await hanging.events();
  const waiting = () => outage.statuses().then((all) => Object.values(all).filter((status) => status === "pending"));

  const batch = hanging.deliveries();
  await pollExpect(() => hanging.held.length).toBe(2);
  await pollExpect(waiting).toHaveLength(3);
  // They return after 2.5 seconds, rounded up, find the endpoint busy, then after 5: without an attempt or a claim.
  for (const pause of [3 * SECOND, 5 * SECOND]) {
    testEnv.advance(pause - SECOND);
    expect((await hanging.deliveries()).records).toEqual([]);
    testEnv.advance(SECOND);
    expect((await hanging.deliveries()).records).toHaveLength(3);
    expect(await waiting()).toHaveLength(3);
  }
  hanging.respond(fastOutcome);
  await batch;
  testEnv.advance(10 * SECOND);
  const next = hanging.deliveries();
  await pollExpect(() => hanging.held.length).toBe(2);
  hanging.respond(fastOutcome);
  await next;
  testEnv.advance(2 * MINUTE);
  const last = hanging.deliveries();
  await pollExpect(() => hanging.held.length).toBe(1);
  hanging.respond(fastOutcome);
  await last;
  expect(Object.values(await outage.statuses()).filter((status) => status === "delivered")).toHaveLength(6);
});

it("an attempt in progress for three seconds marks its endpoint as slow before it ends", async () => {
  const slow: (() => void)[] = [];
  const hanging = hangingClient("/in", {
    onSlow: (call) => slow.push(call),
  });
  await outage.write(3);
  const batch = hanging.events();
  await pollExpect(() => slow.length).toBe(3);
  testEnv.advance(3 * SECOND);
  for (const call of slow) call();
  await pollExpect(async () => (await outage.breaker()).slowUntil).toBe(testEnv.now() + 5 * MINUTE);
  const others = hangingClient("/nowhere");
  await outage.write(1);
  await others.events();
  expect(Object.values(await outage.statuses())).toEqual(["pending"]);
  hanging.respond(timeoutOutcome);
  await batch;
  expect(await outage.breaker()).toMatchObject({ failures: 3 });
});

it.each(faultPoints)(
  "a worker loses no delivery when a fault (%s) hits it while it defers a first attempt",
  async (faultPoint) => {
    for (let k = firstFault(faultPoint); ; k += FAULT_STEP) {
      outage = await openOutage(testEnv);
      const slow = { ...(await outage.breaker()), slowUntil: testEnv.now() + 5 * MINUTE };
      await outage.deliverPorts.endpoints.saveBreaker(outage.tenant, await outage.readEndpoint(), slow, testEnv.now());
      await outage.write(2);
      const injection = injectFaultAt(testEnv.clients, faultPoint, k);
      await invokeWorker(testEnv.eventSource, outage.lane.events, injection.crashable(outage.worker));
      injection.remove();
      testEnv.advance(31 * SECOND);
      await outage.drainQueues();
      expect(Object.values(await outage.statuses())).toEqual(["delivered", "delivered"]);
      if (!injection.reached()) {
        // The calls: endpoints, messages, two rows and their messages.
        expect(k).toBeGreaterThanOrEqual(6);
        return;
      }
    }
  },
);
