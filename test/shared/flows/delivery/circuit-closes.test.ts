import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Outgoing } from "../../../../shared/aws/queues.ts";
import { deliveryId, parked } from "../../../../shared/domain/delivery/deliveries.ts";
import { drain } from "../../../../shared/flows/delivery/drain.ts";
import { drainOf, type EndpointStep, readStep } from "../../../../shared/flows/delivery/endpoint-tasks.ts";
import { replayDelivery } from "../../../../shared/flows/delivery/replay.ts";
import { sendTestEvent } from "../../../../shared/flows/webhooks/send-test.ts";
import { newUlid } from "../../../../shared/kernel/ids.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import { MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import { readRetry } from "../../../../shared/queues/messages.ts";
import { type House, openHouse } from "../support/house.ts";
import { type Outage, openOutage, toWholeSecond } from "../support/outage.ts";
import { depth } from "../support/queue-work.ts";
import { announce } from "../support/receivers.ts";

let house: House;
let outage: Outage;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  toWholeSecond(house);
  outage = await openOutage(house);
});

describe("an endpoint that works again", () => {
  it("gets what waited, oldest first, the first page before the second, and new events at once", async () => {
    const { openUntil } = await outage.open();
    for (let i = 0; i < 7; i++) {
      house.turn(1);
      await outage.write(10);
      await outage.work();
    }
    outage.answer(200);
    await outage.probes(1);
    expect(house.now()).toBe(openUntil);
    expect(await outage.breaker()).toMatchObject({ failures: 0, openUntil: null, failingSince: null });
    const first = outage.calls();
    const inOrder = Object.keys(await outage.statuses()).sort();
    // The probe, then a page of fifty of what still waits.
    expect(first).toHaveLength(51);
    expect(first.map(({ event }) => event).sort()).toEqual(inOrder.slice(0, 51));
    const [fresh = ""] = await outage.write(1);
    await outage.work();
    expect(outage.calls().map(({ event }) => event)).toEqual([fresh]);
    await outage.pass(6 * SECOND, 2 * SECOND);
    expect(outage.calls()).toHaveLength(80 - 51);
    expect(new Set(Object.values(await outage.statuses()))).toEqual(new Set(["delivered"]));
    await outage.pass(10 * MINUTE);
    expect(outage.calls()).toEqual([]);
    expect(await depth(house.eventSource, outage.lane.deliveries)).toBe(0);
  });

  it("gets pages of 50, 100, 200, 400 and then 800, five seconds apart, oldest first", async () => {
    const { tenant, endpoint, deliverPorts } = outage;
    const ulids: string[] = [];
    for (let i = 0; i < 2_400; i++) {
      if (i % 10 === 0) house.turn(1);
      const eventUlid = newUlid(house.now());
      const of = { endpointId: endpoint.id, eventUlid, eventType: "message.received", source: null } as const;
      await deliverPorts.deliveries.recordFirst(tenant, of, parked, null, house.now());
      ulids.push(eventUlid);
    }
    const pages: string[][] = [];
    const steps: Outgoing[] = [];
    const retries = {
      ...deliverPorts.retries,
      sendAll: async (messages: readonly Outgoing[]) => {
        pages.push(messages.map(({ body }) => readRetry(body)?.eventUlid ?? ""));
      },
      send: async (message: Outgoing) => {
        steps.push(message);
      },
    };
    let step: EndpointStep | null = drainOf(tenant, endpoint.id);
    while (step?.step === "drain" && step.again) {
      await drain({ ...deliverPorts, retries }, step, house.now());
      house.turn(5 * SECOND);
      step = readStep(steps.at(-1)?.body ?? "");
    }
    expect(pages.map(({ length }) => length)).toEqual([50, 100, 200, 400, 800, 800, 50]);
    expect(pages.flat()).toEqual(ulids.toSorted());
    // Then once more, for what was written behind it.
    expect(steps.map(({ delay }) => delay)).toEqual([...Array(6).fill(5 * SECOND), 2 * MINUTE]);
  });

  it("and fails again while it is handed what waited is left alone again, and nothing is lost", async () => {
    await outage.open();
    await outage.write(60);
    await outage.work();
    let answered = 0;
    outage.answerBy(() => (answered++ < 5 ? 200 : 500));
    await outage.probes(1);
    await outage.pass(20 * SECOND, 5 * SECOND);
    expect((await outage.breaker()).openUntil).toBeGreaterThan(house.now());
    const statuses = Object.values(await outage.statuses());
    expect(statuses.filter((status) => status === "delivered")).toHaveLength(5);
    expect(statuses.filter((status) => status === "retrying")).toHaveLength(65);
    outage.answerBy(() => 200);
    await outage.probes(1);
    await outage.pass(10 * MINUTE);
    expect(new Set(Object.values(await outage.statuses()))).toEqual(new Set(["delivered"]));
  });

  it("is found by a success of any kind: a test that somebody sends is made at once, and hands out what waited", async () => {
    await outage.open();
    outage.answer(200);
    const sent = await sendTestEvent(outage.ports, outage.tenant, outage.endpoint.id, outage.by, house.now());
    expect(isRefusal(sent)).toBe(false);
    await outage.work();
    expect((await outage.breaker()).openUntil).toBeNull();
    house.turn(6 * SECOND);
    await outage.work();
    expect(new Set(Object.values(await outage.statuses()))).toEqual(new Set(["delivered"]));
  });

  it("with a replay that somebody asked for", async () => {
    const { ulids } = await outage.open();
    const [one = ""] = ulids;
    await outage.ports.deliveries.giveUp(outage.tenant, outage.endpoint.id, one, 2, house.now());
    outage.answer(200);
    const wanted = { endpointId: outage.endpoint.id, deliveryId: deliveryId(one, outage.endpoint.id), force: false };
    await replayDelivery(outage.ports, outage.tenant, { ...wanted, ...outage.by }, house.now());
    await outage.work();
    expect(await outage.row(outage.endpoint, one)).toMatchObject({ status: "delivered" });
    expect((await outage.breaker()).openUntil).toBeNull();
  });

  it("what a worker parked that had read it as left alone is found minutes later", async () => {
    await outage.open();
    outage.answer(200);
    await outage.probes(1);
    await outage.pass(10 * SECOND, 5 * SECOND);
    expect((await outage.breaker()).openUntil).toBeNull();
    const { message, ref } = await announce(house, outage.tenant, "late");
    const late = {
      endpointId: outage.endpoint.id,
      eventUlid: message.eventUlid,
      eventType: "message.received",
    } as const;
    const parked = { status: "retrying", nextRetryAt: null } as const;
    await outage.ports.deliveries.recordFirst(outage.tenant, { ...late, source: ref }, parked, null, house.now());
    await outage.pass(3 * MINUTE, 10 * SECOND);
    expect(await outage.row(outage.endpoint, message.eventUlid)).toMatchObject({ status: "delivered", attempt: 1 });
  });
});
