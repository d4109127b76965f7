import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { deliverWorker } from "../../../../functions/deliver/worker.ts";
import type { AttemptOutcome } from "../../../../shared/domain/delivery/deliveries.ts";
import type { DeliverPorts } from "../../../../shared/flows/ports.ts";
import { MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import type { Poster } from "../../../../shared/net/webhook-client.ts";
import { inFlightStore } from "../../../../shared/stores/delivery/concurrency-slots.ts";
import { type House, openHouse } from "../support/house.ts";
import { type Outage, openOutage } from "../support/outage.ts";
import { depth, handOut } from "../support/queue-work.ts";
import { strikeAt, strikes } from "../support/strikes.ts";

let house: House;
let outage: Outage;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  outage = await openOutage(house);
});

/** Other work on the machine may take a while. */
const soon = <T>(what: () => T) => expect.poll(what, { timeout: 10_000 });

const fine: AttemptOutcome = { kind: "answered", status: 200, retryAfter: null, durationMs: 5 };
const timedOut: AttemptOutcome = { kind: "no_answer", error: "timeout", durationMs: 15_000 };
const late: AttemptOutcome = { kind: "answered", status: 200, retryAfter: null, durationMs: 3_001 };

/** A worker whose receivers answer at once, but for one path, where each call waits until it is let go. */
function withHanging(
  path: string,
  { onSlow, ...rest }: Partial<DeliverPorts> & { onSlow?: (call: () => void) => void } = {},
) {
  const held: ((outcome: AttemptOutcome) => void)[] = [];
  const poster: Poster = {
    async post({ url }, slow) {
      if (!url.endsWith(path)) return fine;
      if (slow) onSlow?.(slow);
      return new Promise<AttemptOutcome>((resolve) => held.push(resolve));
    },
    close: async () => {},
  };
  const ports = { ...outage.deliverPorts, poster, ...rest };
  const worker = deliverWorker(ports, house.now, (record, after) =>
    ports.retries.postpone(record.receiptHandle, after),
  );
  return {
    held,
    events: () => handOut(house.eventSource, outage.lane.events, worker),
    deliveries: () => handOut(house.eventSource, outage.lane.deliveries, worker),
    letGo(outcome: AttemptOutcome): void {
      for (const resolve of held.splice(0)) resolve(outcome);
    },
  };
}

it("of twenty endpoints one hangs: after the first batch nothing waits behind it", async () => {
  const others = await Promise.all(
    Array.from({ length: 19 }, (_, i) => outage.endpointWith({ path: `/other-${i}`, events: ["message.received"] })),
  );
  const hanging = withHanging("/in");
  await outage.write(1);
  const first = hanging.events();
  await soon(() => hanging.held.length).toBe(1);
  hanging.letGo(timedOut);
  await first;
  expect((await outage.breaker()).slowUntil).toBe(house.now() + 5 * MINUTE);

  const ulids = await outage.write(10);
  // Nothing is let go: this batch would never end if it waited for the one that hangs.
  expect((await hanging.events()).failed).toEqual([]);
  expect(hanging.held).toHaveLength(0);
  for (const { endpoint } of others) {
    const rows = await outage.rows(endpoint);
    expect(rows.map(({ status }) => status)).toEqual(Array(11).fill("delivered"));
  }
  const rows = await outage.rows(outage.endpoint);
  expect(rows.filter(({ status, attempt }) => status === "pending" && attempt === 0)).toHaveLength(10);

  const slow = hanging.deliveries();
  await soon(() => hanging.held.length).toBe(10);
  await outage.write(10);
  expect((await hanging.events()).failed).toEqual([]);
  hanging.letGo(fine);
  await slow;
  const statuses = await outage.statuses();
  expect(ulids.map((ulid) => statuses[ulid])).toEqual(Array(10).fill("delivered"));
});

it("an endpoint that answers within three seconds for five minutes is called with its event again", async () => {
  const hanging = withHanging("/in");
  await outage.write(1);
  const first = hanging.events();
  await soon(() => hanging.held.length).toBe(1);
  hanging.letGo(late);
  await first;
  const quick = withHanging("/nowhere");
  await outage.write(1);
  await quick.events();
  expect(Object.values(await outage.statuses()).sort()).toEqual(["delivered", "pending"]);
  await quick.deliveries();
  house.turn(5 * MINUTE);
  await outage.write(1);
  await quick.events();
  expect(Object.values(await outage.statuses())).toEqual(Array(3).fill("delivered"));
  expect(await depth(house.eventSource, outage.lane.deliveries)).toBe(0);
});

it("a slow endpoint has so many attempts in flight and no more: the others come again, ever later", async () => {
  const inFlight = inFlightStore(house.table, { max: 2 });
  const hanging = withHanging("/in", { inFlight });
  await outage.write(1);
  const first = hanging.events();
  await soon(() => hanging.held.length).toBe(1);
  hanging.letGo(late);
  await first;
  await outage.write(5);
  await hanging.events();
  const waiting = () => outage.statuses().then((all) => Object.values(all).filter((status) => status === "pending"));

  const batch = hanging.deliveries();
  await soon(() => hanging.held.length).toBe(2);
  await soon(waiting).toHaveLength(3);
  // They come after 2.5 seconds, in whole ones, and find it busy still, then after 5: without an attempt or a claim.
  for (const pause of [3 * SECOND, 5 * SECOND]) {
    house.turn(pause - SECOND);
    expect((await hanging.deliveries()).records).toEqual([]);
    house.turn(SECOND);
    expect((await hanging.deliveries()).records).toHaveLength(3);
    expect(await waiting()).toHaveLength(3);
  }
  hanging.letGo(fine);
  await batch;
  house.turn(10 * SECOND);
  const next = hanging.deliveries();
  await soon(() => hanging.held.length).toBe(2);
  hanging.letGo(fine);
  await next;
  house.turn(2 * MINUTE);
  const last = hanging.deliveries();
  await soon(() => hanging.held.length).toBe(1);
  hanging.letGo(fine);
  await last;
  expect(Object.values(await outage.statuses()).filter((status) => status === "delivered")).toHaveLength(6);
});

it("an attempt under way for three seconds has its endpoint marked before it ends", async () => {
  const slow: (() => void)[] = [];
  const hanging = withHanging("/in", {
    onSlow: (call) => slow.push(call),
  });
  await outage.write(3);
  const batch = hanging.events();
  await soon(() => slow.length).toBe(3);
  house.turn(3 * SECOND);
  for (const call of slow) call();
  await soon(async () => (await outage.breaker()).slowUntil).toBe(house.now() + 5 * MINUTE);
  const others = withHanging("/nowhere");
  await outage.write(1);
  await others.events();
  expect(Object.values(await outage.statuses())).toEqual(["pending"]);
  hanging.letGo(timedOut);
  await batch;
  expect(await outage.breaker()).toMatchObject({ failures: 3 });
});

it.each(strikes)("struck (%s) while it puts a first attempt off, a worker loses none", async (strike) => {
  for (let k = 0; ; k++) {
    outage = await openOutage(house);
    const slow = { ...(await outage.breaker()), slowUntil: house.now() + 5 * MINUTE };
    await outage.deliverPorts.endpoints.keepBreaker(outage.tenant, await outage.read(), slow, house.now());
    await outage.write(2);
    const struck = strikeAt(house.clients, strike, k);
    await handOut(house.eventSource, outage.lane.events, struck.mortal(outage.worker));
    struck.end();
    house.turn(31 * SECOND);
    await outage.work();
    expect(Object.values(await outage.statuses())).toEqual(["delivered", "delivered"]);
    if (!struck.reached()) {
      // Endpoints, messages, two rows and their messages.
      expect(k).toBeGreaterThanOrEqual(6);
      return;
    }
  }
});
