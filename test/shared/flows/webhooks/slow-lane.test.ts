import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { deliverWorker } from "../../../../functions/workers/deliver.ts";
import type { AttemptOutcome } from "../../../../shared/domain/deliveries.ts";
import { countInFlight } from "../../../../shared/flows/in-flight.ts";
import type { DeliverPorts } from "../../../../shared/flows/ports.ts";
import { MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import type { Poster } from "../../../../shared/net/poster.ts";
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

const fine: AttemptOutcome = { kind: "answered", status: 200, retryAfter: null, durationMs: 5 };
const timedOut: AttemptOutcome = { kind: "no_answer", error: "timeout", durationMs: 15_000 };
const late: AttemptOutcome = { kind: "answered", status: 200, retryAfter: null, durationMs: 3_001 };

/** A worker whose receivers answer at once, but for one path, where each call waits until it is let go. */
function withHanging(path: string, rest: Partial<DeliverPorts> = {}) {
  const held: ((outcome: AttemptOutcome) => void)[] = [];
  const poster: Poster = {
    post: ({ url }) =>
      url.endsWith(path) ? new Promise<AttemptOutcome>((resolve) => held.push(resolve)) : Promise.resolve(fine),
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
  await expect.poll(() => hanging.held.length).toBe(1);
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
  await expect.poll(() => hanging.held.length).toBe(10);
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
  await expect.poll(() => hanging.held.length).toBe(1);
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

it("a process makes so many attempts of one endpoint at once and no more: the others wait on the deliveries queue", async () => {
  const inFlight = countInFlight(2);
  const hanging = withHanging("/in", { inFlight });
  await outage.write(5);
  const batch = hanging.events();
  await expect.poll(() => hanging.held.length).toBe(2);
  await expect.poll(async () => Object.values(await outage.statuses())).toEqual(Array(3).fill("pending"));
  // Their retries find it busy still, and wait for some seconds more, without an attempt or a claim.
  expect((await hanging.deliveries()).failed).toEqual([]);
  expect(Object.values(await outage.statuses())).toEqual(Array(3).fill("pending"));
  expect((await hanging.deliveries()).records).toEqual([]);
  hanging.letGo(fine);
  await batch;
  house.turn(5 * SECOND);
  const waited = hanging.deliveries();
  await expect.poll(() => hanging.held.length).toBe(2);
  hanging.letGo(fine);
  await waited;
  house.turn(5 * SECOND);
  const last = hanging.deliveries();
  await expect.poll(() => hanging.held.length).toBe(1);
  hanging.letGo(fine);
  await last;
  expect(Object.values(await outage.statuses())).toEqual(Array(5).fill("delivered"));
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
