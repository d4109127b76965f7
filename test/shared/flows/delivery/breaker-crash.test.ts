import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { untroubled } from "../../../../shared/domain/delivery/breaker.ts";
import { parked } from "../../../../shared/domain/delivery/deliveries.ts";
import { drainOf, sendStep } from "../../../../shared/flows/delivery/endpoint-tasks.ts";
import { sweepDue } from "../../../../shared/flows/delivery/sweep.ts";
import { MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import { type House, openHouse } from "../support/house.ts";
import { type Outage, openOutage } from "../support/outage.ts";
import { depth, handOut } from "../support/queue-work.ts";
import { announce } from "../support/receivers.ts";
import { strikeAt, strikes } from "../support/strikes.ts";

let house: House;
beforeAll(async () => {
  house = await openHouse();
  // The very first sweep looks back for days.
  await sweepDue(house.sweepPorts(await house.newLane()), house.now());
});
afterAll(() => house.close());

/** An endpoint that failed nine times, with events that wait on the queue. */
async function almostOpen(waiting: number): Promise<Outage> {
  const outage = await openOutage(house);
  const state = { ...untroubled, failures: 9, failingSince: house.now() - MINUTE, failedSince: 9 };
  await outage.deliverPorts.endpoints.keepBreaker(outage.tenant, await outage.read(), state, house.now());
  await outage.write(waiting);
  return outage;
}

/** … and that failed once more: one delivery was attempted, the others wait, and the probe is due. */
async function open(waiting: number): Promise<Outage> {
  const outage = await almostOpen(1);
  outage.answer(500);
  await outage.work();
  await outage.write(waiting);
  await outage.work();
  const { openUntil } = await outage.breaker();
  house.turn((openUntil ?? 0) - house.now());
  outage.calls();
  return outage;
}

/** Strikes the next hand-out of a queue at each of its calls in turn, and lets `after` see to the rest. */
async function struckEverywhere(
  strike: (typeof strikes)[number],
  begin: () => Promise<Outage>,
  queue: "events" | "deliveries",
  after: (outage: Outage) => Promise<void>,
): Promise<number> {
  for (let k = 0; ; k++) {
    const outage = await begin();
    const struck = strikeAt(house.clients, strike, k);
    await handOut(house.eventSource, outage.lane[queue], struck.mortal(outage.worker));
    struck.end();
    await after(outage);
    if (!struck.reached()) return k;
  }
}

/** Everything that is under way runs its course: messages that were not deleted, leases, delays, second drains. */
async function settled(outage: Outage): Promise<void> {
  for (const span of [31 * SECOND, 31 * SECOND, 31 * SECOND, 31 * SECOND, 2 * MINUTE, 5 * MINUTE, 2 * MINUTE]) {
    await sweepDue(house.sweepPorts(outage.lane), house.now());
    house.turn(span);
    await outage.work();
  }
}

async function expectAllDelivered(outage: Outage, count: number): Promise<void> {
  const statuses = Object.values(await outage.statuses());
  expect(statuses).toEqual(Array(count).fill("delivered"));
  expect(await outage.breaker()).toMatchObject({ failures: 0, openUntil: null });
  expect(await depth(house.eventSource, outage.lane.deliveries)).toBe(0);
}

describe.each(strikes)("a worker that is struck (%s) at any call to AWS", (strike) => {
  it("while the tenth failure opens a breaker leaves nothing behind that would not be delivered later", async () => {
    const begin = async () => {
      const outage = await almostOpen(3);
      outage.answer(500);
      return outage;
    };
    const calls = await struckEverywhere(strike, begin, "events", async (outage) => {
      outage.answer(200);
      await settled(outage);
      await expectAllDelivered(outage, 3);
    });
    // Endpoints, messages, a secret, three rows and retries, the probe, the breaker.
    expect(calls).toBeGreaterThanOrEqual(11);
  });

  it("while a probe comes through leaves nothing that waits behind", async () => {
    const begin = async () => {
      const outage = await open(3);
      outage.answer(200);
      return outage;
    };
    const calls = await struckEverywhere(strike, begin, "deliveries", async (outage) => {
      await settled(outage);
      await expectAllDelivered(outage, 4);
    });
    // Endpoint, what waits, claim, message, secret, row, breaker, drain, counter.
    expect(calls).toBeGreaterThanOrEqual(9);
  });

  it("while a probe fails has the next one made, and no attempt is spent", async () => {
    const calls = await struckEverywhere(
      strike,
      () => open(2),
      "deliveries",
      async (outage) => {
        outage.answer(500);
        await settled(outage);
        expect((await outage.breaker()).openUntil).toBeGreaterThan(house.now());
        const rows = await outage.rows(outage.endpoint);
        // One that a worker died with has its attempt given back at its next turn.
        const spent = rows.map(({ status, attempt }) => attempt - (status === "attempting" ? 1 : 0));
        expect(spent.sort()).toEqual([0, 0, 1]);
        outage.answer(200);
        await outage.probes(1);
        await settled(outage);
        await expectAllDelivered(outage, 3);
      },
    );
    expect(calls).toBeGreaterThanOrEqual(8);
  });

  it("while it hands out a page hands it out again, and the pages behind it", async () => {
    const begin = async () => {
      const outage = await openOutage(house);
      const { tenant, endpoint } = outage;
      const of = { endpointId: endpoint.id, eventType: "message.received" } as const;
      for (let i = 0; i < 5; i++) {
        const { message, ref } = await announce(house, tenant, `parked ${i}`);
        const row = { ...of, eventUlid: message.eventUlid, source: ref };
        await outage.ports.deliveries.recordFirst(tenant, row, parked, null, house.now());
      }
      await sendStep(outage.ports, { ...drainOf(tenant, endpoint.id), page: 2 }, house.now(), house.now());
      return outage;
    };
    const calls = await struckEverywhere(strike, begin, "deliveries", async (outage) => {
      await settled(outage);
      await expectAllDelivered(outage, 5);
    });
    // Endpoint, what waits, its messages, the next page.
    expect(calls).toBeGreaterThanOrEqual(4);
  });
});
