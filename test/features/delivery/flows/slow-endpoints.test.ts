import { beforeEach, expect, it } from "vitest";
import type { AttemptOutcome } from "#base/kernel/attempt-outcome.ts";
import { HOUR, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import type { WebhookClient } from "#base/net/webhook-client.ts";
import type { DeliverPorts } from "#features/delivery/ports.ts";
import { concurrencySlotStore } from "#features/delivery/store/concurrency-slots.ts";
import { deliverWorker } from "../../../../functions/deliver/worker.ts";
import { faultPoints, strikeEachCall } from "../../../support/flows/fault-injection.ts";
import { type Outage, openOutage } from "../../../support/flows/outage-fixture.ts";
import { invokeWorker, queueDepth } from "../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { decodeRetry } from "../../../support/pipeline/deliveries-messages.ts";

let outage: Outage;
const testEnv = openedOnce(openTestEnv);
beforeEach(async () => {
  outage = await openOutage(testEnv);
});

/** Allows for other work on the machine. */
const pollExpect = <T>(read: () => T) => expect.poll(read, { timeout: 30_000 });

const fastOutcome = { kind: "answered", status: 200, retryAfter: null, durationMs: 5 } as const;
const timeoutOutcome = { kind: "no_answer", error: "timeout", durationMs: 15_000 } as const;
/** What the client returns at the time limit of an ordinary batch. */
const unanswered: AttemptOutcome = { ...timeoutOutcome, durationMs: 1_500 };

/** A worker whose receivers respond at once, except at one path, where each call waits for its release. */
function hangingClient(path: string, replacedPorts: Partial<DeliverPorts> = {}) {
  const calls: { readonly timeout: Millis | undefined; readonly end: (outcome: AttemptOutcome) => void }[] = [];
  const webhookClient: WebhookClient = {
    async send({ url, answerTimeout: timeout }) {
      if (!url.endsWith(path)) return fastOutcome;
      return new Promise<AttemptOutcome>((end) => calls.push({ timeout, end }));
    },
    close: async () => {},
  };
  const ports = { ...outage.deliverPorts, webhookClient, ...replacedPorts };
  const worker = deliverWorker(ports, testEnv.now);
  const invoke = (queue: "events" | "deliveries" | "slowDeliveries") =>
    invokeWorker(testEnv.eventSource, outage.queues[queue], worker);
  return {
    held: calls,
    events: () => invoke("events"),
    retries: () => invoke("deliveries"),
    slow: () => invoke("slowDeliveries"),
    /** Ends the calls in progress, once there are as many as expected. */
    async respond(outcome: AttemptOutcome, count = 1): Promise<void> {
      await pollExpect(() => calls.length).toBe(count);
      for (const { end } of calls.splice(0)) end(outcome);
    },
  };
}

/** Lets the endpoint's first attempt move to the slow queue, which makes it slow. */
async function makeSlow(hanging: ReturnType<typeof hangingClient>): Promise<void> {
  await outage.write(1);
  const batch = hanging.events();
  await hanging.respond(unanswered);
  await batch;
}

it("one endpoint of twenty hangs: its first attempt moves to the slow queue, and no later event waits for it", async () => {
  const others = await Promise.all(
    Array.from({ length: 19 }, (_, i) => outage.endpointWith({ path: `/other-${i}`, events: ["message.received"] })),
  );
  // So many slots that no two attempts try the same one: an attempt without a slot is deferred, which a test below shows.
  const hanging = hangingClient("/in", { concurrencySlots: concurrencySlotStore(testEnv.table, { max: 1_000 }) });
  await makeSlow(hanging);
  expect(await outage.breaker()).toMatchObject({ slowUntil: testEnv.now() + 5 * MINUTE, failures: 0 });
  expect(await outage.rows(outage.endpoint)).toMatchObject([{ status: "pending", attempt: 0 }]);

  await outage.write(9);
  // No call is released: this batch would never end if it waited for the hanging one.
  expect((await hanging.events()).failed).toEqual([]);
  expect(hanging.held).toHaveLength(0);
  for (const { endpoint } of others) {
    const rows = await outage.rows(endpoint);
    expect(rows.map(({ status }) => status)).toEqual(Array(10).fill("delivered"));
  }
  // A send whose answer is late is repeated: the queue may have a message twice, and one batch not all of them.
  const slow = [hanging.slow(), hanging.slow()];
  await pollExpect(() => hanging.held.length).toBe(10);
  await outage.write(10);
  expect((await hanging.events()).failed).toEqual([]);
  await hanging.respond(fastOutcome, 10);
  await Promise.all(slow);
  const rows = await outage.rows(outage.endpoint);
  expect(rows.map(({ status, attempt }) => `${status} ${attempt}`).sort()).toEqual([
    ...Array(10).fill("delivered 1"),
    ...Array(10).fill("pending 0"),
  ]);
});

it("a receiver that answers after 2.5 seconds gets its event again, with 15 seconds, and it counts once", async () => {
  const hanging = hangingClient("/in");
  await outage.write(1);
  const batch = hanging.events();
  await pollExpect(() => hanging.held.map(({ timeout }) => timeout)).toEqual([1_500]);
  await hanging.respond(unanswered);
  await batch;
  const line = { event: "delivery.handed_over", endpoint: outage.endpoint.id, attempt: 1, unanswered_ms: 1_500 };
  expect(testEnv.lines).toContainEqual(expect.objectContaining(line));
  const slow = hanging.slow();
  await pollExpect(() => hanging.held.map(({ timeout }) => timeout)).toEqual([15_000]);
  await hanging.respond({ ...fastOutcome, durationMs: 2_500 });
  await slow;
  expect(await outage.rows(outage.endpoint)).toMatchObject([
    { status: "delivered", attempt: 1, lastDurationMs: 2_500, lastError: null },
  ]);
  expect((await outage.breaker()).slowUntil).toBe(testEnv.now() + HOUR);
});

it("a retry without an answer moves to the slow queue: its claim is given back, and the attempt does not count", async () => {
  const hanging = hangingClient("/in");
  const { eventUlid } = await outage.createDelivery(outage.endpoint, "retrying");
  const row = { endpointId: outage.endpoint.id, eventUlid };
  await outage.queueAttempt(row, 2, { manual: true });
  const batch = hanging.retries();
  await pollExpect(() => hanging.held.map(({ timeout }) => timeout)).toEqual([1_500]);
  await hanging.respond(unanswered);
  expect((await batch).failed).toEqual([]);
  const returned = { status: "retrying", attempt: 1, nextRetryAt: testEnv.now(), lastResponseStatus: 503 };
  expect(await outage.row(outage.endpoint, eventUlid)).toMatchObject(returned);
  expect((await outage.breaker()).slowUntil).toBe(testEnv.now() + 5 * MINUTE);
  const slow = hanging.slow();
  await hanging.respond(fastOutcome);
  expect((await slow).records.map(({ body }) => decodeRetry(body))).toEqual([
    { tenant: outage.tenant, ...row, attempt: 2, manual: true },
  ]);
  expect(await outage.row(outage.endpoint, eventUlid)).toMatchObject({ status: "delivered", attempt: 2 });
});

it("retries of other endpoints are made while every attempt of a slow endpoint hangs", async () => {
  const hanging = hangingClient("/in");
  await makeSlow(hanging);
  const slow = hanging.slow();
  await pollExpect(() => hanging.held.length).toBe(1);
  const { endpoint: other } = await outage.endpointWith({ path: "/other" });
  const { eventUlid } = await outage.createDelivery(other, "retrying");
  await outage.queueAttempt({ endpointId: other.id, eventUlid }, 2);
  expect((await hanging.retries()).failed).toEqual([]);
  expect(await outage.row(other, eventUlid)).toMatchObject({ status: "delivered", attempt: 2 });
  await hanging.respond(timeoutOutcome);
  await slow;
});

it("a retry of a slow endpoint on the ordinary queue moves to the slow one, without an attempt or a claim", async () => {
  const { eventUlid } = await outage.createDelivery(outage.endpoint, "retrying");
  await outage.setBreaker({ slowUntil: testEnv.now() + 5 * MINUTE });
  const row = { endpointId: outage.endpoint.id, eventUlid };
  await outage.queueAttempt(row, 2, { manual: true });
  await invokeWorker(testEnv.eventSource, outage.queues.deliveries, outage.worker);
  expect(outage.calls()).toEqual([]);
  expect(await outage.row(outage.endpoint, eventUlid)).toMatchObject({ status: "retrying", attempt: 1 });
  const { records } = await invokeWorker(testEnv.eventSource, outage.queues.slowDeliveries, outage.worker);
  expect(records.map(({ body }) => decodeRetry(body))).toEqual([
    { tenant: outage.tenant, ...row, attempt: 2, manual: true },
  ]);
  expect(await outage.row(outage.endpoint, eventUlid)).toMatchObject({ status: "delivered", attempt: 2 });
});

it("an endpoint that answers in time for five minutes is called with its event again", async () => {
  await makeSlow(hangingClient("/in"));
  const quick = hangingClient("/nowhere");
  await outage.write(1);
  await quick.events();
  expect(Object.values(await outage.statuses())).toEqual(["pending", "pending"]);
  await quick.slow();
  testEnv.advance(5 * MINUTE);
  await outage.write(1);
  await quick.events();
  expect(Object.values(await outage.statuses())).toEqual(Array(3).fill("delivered"));
  expect(await queueDepth(testEnv.eventSource, outage.queues.slowDeliveries)).toBe(0);
});

it("a slow endpoint has limited attempts in flight: the others are deferred, each time for longer", async () => {
  const inFlight = concurrencySlotStore(testEnv.table, { max: 2 });
  const hanging = hangingClient("/in", { concurrencySlots: inFlight });
  await makeSlow(hanging);
  await outage.write(4);
  await hanging.events();
  const waiting = () => outage.statuses().then((all) => Object.values(all).filter((status) => status === "pending"));

  const batch = hanging.slow();
  await pollExpect(() => hanging.held.length).toBe(2);
  await pollExpect(waiting).toHaveLength(3);
  // They return after 2.5 seconds, rounded up, find the endpoint busy, then after 5: without an attempt or a claim.
  for (const pause of [3 * SECOND, 5 * SECOND]) {
    testEnv.advance(pause - SECOND);
    expect((await hanging.slow()).records).toEqual([]);
    testEnv.advance(SECOND);
    expect((await hanging.slow()).records).toHaveLength(3);
    expect(await waiting()).toHaveLength(3);
  }
  await hanging.respond(fastOutcome, 2);
  await batch;
  testEnv.advance(10 * SECOND);
  const next = hanging.slow();
  await hanging.respond(fastOutcome, 2);
  await next;
  testEnv.advance(2 * MINUTE);
  const last = hanging.slow();
  await hanging.respond(fastOutcome);
  await last;
  expect(Object.values(await outage.statuses()).filter((status) => status === "delivered")).toHaveLength(5);
});

it.each(faultPoints)(
  "a worker loses no delivery when a fault (%s) hits it while it defers a first attempt",
  async (faultPoint) => {
    const calls = await strikeEachCall(testEnv, faultPoint, async (strike) => {
      outage = await openOutage(testEnv);
      await outage.setBreaker({ slowUntil: testEnv.now() + 5 * MINUTE });
      await outage.write(2);
      await strike.invoke(outage.queues.events, outage.worker);
      testEnv.advance(31 * SECOND);
      await outage.drainQueues();
      expect(Object.values(await outage.statuses())).toEqual(["delivered", "delivered"]);
    });
    // The calls: endpoints, messages, two rows and their messages.
    expect(calls).toBeGreaterThanOrEqual(6);
  },
);

/** A client whose receivers answer only in the slow queue. */
const lateClient: WebhookClient = {
  send: async ({ answerTimeout = 15_000 }) => (answerTimeout < 15_000 ? unanswered : fastOutcome),
  close: async () => {},
};

it.each(faultPoints)(
  "a worker loses no delivery when a fault (%s) hits it while it hands a first attempt over",
  async (faultPoint) => {
    const calls = await strikeEachCall(testEnv, faultPoint, async (strike) => {
      outage = await openOutage(testEnv);
      await outage.write(2);
      const worker = deliverWorker({ ...outage.deliverPorts, webhookClient: lateClient }, testEnv.now);
      await strike.invoke(outage.queues.events, worker);
      testEnv.advance(31 * SECOND);
      await outage.drainQueues();
      const rows = await outage.rows(outage.endpoint);
      expect(rows.map(({ status, attempt }) => [status, attempt])).toEqual(Array(2).fill(["delivered", 1]));
    });
    // The calls: endpoints, messages, a secret, the mark, two rows and their messages.
    expect(calls).toBeGreaterThanOrEqual(8);
  },
);

it.each(faultPoints)(
  "a worker loses no delivery when a fault (%s) hits it while it hands a retry over",
  async (faultPoint) => {
    const calls = await strikeEachCall(testEnv, faultPoint, async (strike) => {
      outage = await openOutage(testEnv);
      const { eventUlid } = await outage.createDelivery(outage.endpoint, "retrying");
      await outage.queueAttempt({ endpointId: outage.endpoint.id, eventUlid }, 2);
      const worker = deliverWorker({ ...outage.deliverPorts, webhookClient: lateClient }, testEnv.now);
      await strike.invoke(outage.queues.deliveries, worker);
      // The claim of a worker that died expires and counts as an attempt. The next one is five minutes later.
      for (const span of [31 * SECOND, 31 * SECOND, 5 * MINUTE]) {
        testEnv.advance(span);
        await outage.drainQueues();
      }
      const row = await outage.row(outage.endpoint, eventUlid);
      expect(row).toMatchObject({ status: "delivered", leaseUntil: null });
      if (faultPoint === "lost") expect(row?.attempt).toBe(2);
    });
    // The calls: endpoint, claim, message, secret, the mark, the row, its message.
    expect(calls).toBeGreaterThanOrEqual(7);
  },
);
