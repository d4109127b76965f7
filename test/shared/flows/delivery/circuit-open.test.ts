import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deadLettersWorker } from "../../../../functions/dead-letters/worker.ts";
import { sweepDue } from "../../../../shared/flows/delivery/sweep.ts";
import { changeWebhook, deleteWebhook } from "../../../../shared/flows/webhooks/update.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import { quarantineStore } from "../../../../shared/stores/dead-letters/quarantine.ts";
import { counterStore } from "../../../../shared/stores/stats/counters.ts";
import { type House, openHouse } from "../support/house.ts";
import { type Outage, openOutage, toWholeSecond } from "../support/outage.ts";
import { handOut, receiveAll } from "../support/queue-work.ts";

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

const change = (wanted: object) =>
  changeWebhook(outage.ports, outage.tenant, outage.endpoint.id, wanted, outage.by, house.now());

describe("an endpoint that fails ten times in a row", () => {
  it("is called nine times without a pause, and left alone after the tenth", async () => {
    outage.answer(500);
    await outage.write(9);
    await outage.work();
    expect(await outage.breaker()).toMatchObject({ failures: 9, openUntil: null, failedSince: 9 });
    await outage.write(1);
    await outage.work();
    expect(await outage.breaker()).toMatchObject({ failures: 10, openUntil: house.now() + MINUTE });
    expect(outage.calls()).toHaveLength(10);
    await outage.write(5);
    await outage.work();
    expect(outage.calls()).toEqual([]);
  });

  it("counts anew after a success in between", async () => {
    outage.answer(500);
    await outage.write(9);
    await outage.work();
    outage.answer(200);
    await outage.write(1);
    await outage.work();
    expect(await outage.breaker()).toMatchObject({ failures: 0, failingSince: null, failedSince: 0 });
    outage.answer(500);
    await outage.write(9);
    await outage.work();
    expect(await outage.breaker()).toMatchObject({ failures: 9, openUntil: null });
  });

  it("is counted by whichever batches and processes the attempts fell into", async () => {
    outage.answer(500);
    for (let i = 0; i < 5; i++) {
      await outage.write(1);
      await outage.work();
      house.turn(5 * SECOND);
      await outage.work();
    }
    expect((await outage.breaker()).openUntil).toBe(house.now() + MINUTE);
  });
});

describe("while an endpoint is left alone", () => {
  it("new events wait as retrying, with no attempt spent and at no time of their own", async () => {
    await outage.open();
    const [fresh = ""] = await outage.write(1);
    await outage.work();
    const row = await outage.row(outage.endpoint, fresh);
    expect(row).toMatchObject({ status: "retrying", attempt: 0, nextRetryAt: null, lastError: null });
  });

  it("retries that come due are not claimed: their rows wait as they are", async () => {
    const { ulids } = await outage.open();
    house.turn(30 * SECOND);
    await outage.work();
    expect(outage.calls()).toEqual([]);
    const rows = await outage.rows(outage.endpoint);
    expect(rows.map(({ eventUlid }) => eventUlid).sort()).toEqual(ulids.sort());
    expect(rows.map(({ status, attempt }) => [status, attempt])).toEqual(Array(10).fill(["retrying", 1]));
  });

  it("one delivery is tried after 1, 2, 4, 8, 16, 30 and 30 minutes, each time the next in turn, and none is spent", async () => {
    const { ulids } = await outage.open();
    const begun = house.now();
    house.turn(5);
    const [eleventh = ""] = await outage.write(1);
    await outage.work();
    const due = await outage.probes(7);
    const minutes = due.map((at, i) => Math.round((at - (due[i - 1] ?? begun)) / MINUTE));
    expect(minutes).toEqual([1, 2, 4, 8, 16, 30, 30]);
    const probes = outage.calls();
    expect(probes.map(({ at }) => at)).toEqual(due);
    expect(probes.map(({ event }) => event)).toEqual([...ulids].sort().slice(0, 7));
    const rows = await outage.rows(outage.endpoint);
    expect(rows.map(({ status }) => status)).toEqual(Array(11).fill("retrying"));
    expect(rows.map(({ attempt }) => attempt)).toEqual([0, ...Array(10).fill(1)]);
    expect(rows[0]?.eventUlid).toBe(eleventh);
  });

  it("deliveries are tried in turn, and from the first again, for as long as a day", async () => {
    await outage.open();
    const due = await outage.probes(50);
    expect((due.at(-1) ?? 0) - (due[0] ?? 0)).toBeGreaterThan(22 * HOUR);
    const tried = outage.calls().map(({ event }) => event);
    expect(tried).toHaveLength(50);
    expect(new Set(tried.slice(0, 10)).size).toBe(10);
    expect(tried.slice(10, 20)).toEqual(tried.slice(0, 10));
    const rows = await outage.rows(outage.endpoint);
    expect(rows.map(({ status, attempt }) => [status, attempt])).toEqual(Array(10).fill(["retrying", 1]));
  });

  it("one delivery that fails always does not stand for the others", async () => {
    const { ulids } = await outage.open();
    const [poison = ""] = [...ulids].sort();
    outage.answerBy((event) => (event === poison ? 500 : 200));
    await outage.probes(2);
    await outage.pass(10 * SECOND, 5 * SECOND);
    const statuses = await outage.statuses();
    expect(ulids.filter((ulid) => statuses[ulid] !== "delivered")).toEqual([poison]);
  });

  it("a delivery whose event is past its life becomes dlq at its turn, and counts", async () => {
    await outage.open();
    const fresh = await outage.write(3);
    await outage.work();
    house.turn(7 * DAY + MINUTE);
    outage.answer(200);
    const [young = ""] = await outage.write(1);
    await outage.work();
    const rows = await Promise.all(fresh.map((ulid) => outage.row(outage.endpoint, ulid)));
    expect(rows.map((row) => row?.status)).toEqual(["dlq", "dlq", "dlq"]);
    expect(outage.calls().map(({ event }) => event)).toEqual([young]);
    const counts = await counterStore(house.table).window(outage.tenant, house.now());
    expect(counts.of(outage.endpoint.id).dlq).toBe(13);
  });
});

describe("an endpoint that is left alone", () => {
  it("and for which nothing waits is tried with what comes next, as ever", async () => {
    const { ulids } = await outage.open();
    for (const ulid of ulids) {
      await outage.ports.deliveries.giveUp(outage.tenant, outage.endpoint.id, ulid, 2, house.now());
    }
    await outage.pass(2 * MINUTE, 10 * SECOND);
    expect(outage.calls()).toEqual([]);
    expect(await outage.breaker()).toMatchObject({ failures: 0, openUntil: null, failedSince: 10 });
    const [fresh = ""] = await outage.write(1);
    await outage.work();
    expect(await outage.row(outage.endpoint, fresh)).toMatchObject({
      attempt: 1,
      nextRetryAt: house.now() + 5 * SECOND,
    });
  });

  it("and is pointed elsewhere is probed at once, and what it failed before counts no more", async () => {
    await outage.open();
    await change({ url: `http://127.0.0.1:${outage.receiver.port}/new` });
    await outage.work();
    expect((await outage.breaker()).failedSince).toBe(0);
    house.turn(6 * SECOND);
    await outage.work();
    expect(new Set(Object.values(await outage.statuses()))).toEqual(new Set(["delivered"]));
  });

  it("and is paused has what waits blocked; active again, it is called at once", async () => {
    await outage.open();
    await outage.write(3);
    await outage.work();
    await change({ status: "paused" });
    await outage.work();
    await outage.pass(2 * MINUTE, 10 * SECOND);
    expect(Object.values(await outage.statuses())).toEqual(Array(13).fill("blocked"));
    expect(outage.calls()).toEqual([]);
    const counts = await counterStore(house.table).window(outage.tenant, house.now());
    expect(counts.of(outage.endpoint.id).failed).toBe(13);
    outage.answer(200);
    await change({ status: "active" });
    const [fresh = ""] = await outage.write(1);
    await outage.work();
    expect(await outage.row(outage.endpoint, fresh)).toMatchObject({ status: "delivered" });
  });

  it("and is deleted has what waits failed", async () => {
    await outage.open();
    await outage.write(3);
    await outage.work();
    await deleteWebhook(outage.ports, outage.tenant, outage.endpoint.id, outage.by, house.now());
    await outage.probes(1);
    await outage.pass(10 * SECOND, 5 * SECOND);
    expect(Object.values(await outage.statuses())).toEqual(Array(13).fill("failed"));
    expect(outage.calls()).toEqual([]);
  });

  it("and says that it is gone is paused, and what waits is blocked", async () => {
    const { ulids } = await outage.open();
    outage.answer(410);
    await outage.probes(1);
    await outage.pass(10 * SECOND, 5 * SECOND);
    expect(outage.calls()).toHaveLength(1);
    expect((await outage.read()).status).toBe("paused");
    const statuses = Object.values(await outage.statuses()).sort();
    expect(statuses).toEqual([...Array(ulids.length - 1).fill("blocked"), "failed"]);
  });

  it("is tried with the next event once its probe is overdue; failed, it is left alone for twice as long", async () => {
    const { openUntil } = await outage.open();
    // The probe's message is lost.
    house.turn(openUntil - house.now() + 2 * MINUTE);
    await receiveAll(house.eventSource, outage.lane.deliveries);
    await outage.write(1);
    await handOut(house.eventSource, outage.lane.events, outage.worker);
    expect(outage.calls()).toHaveLength(1);
    expect(await outage.breaker()).toMatchObject({ openUntil: house.now() + 2 * MINUTE });
    outage.answer(200);
    await outage.pass(5 * MINUTE, 10 * SECOND);
    expect(new Set(Object.values(await outage.statuses()))).toEqual(new Set(["delivered"]));
  });

  it("whose probe became a dead letter is probed half an hour later all the same", async () => {
    const { openUntil } = await outage.open();
    outage.answer(200);
    house.turn(openUntil - house.now());
    const letters = await receiveAll(house.eventSource, outage.lane.deliveries);
    const ports = {
      queueBehind: () => "Deliveries" as const,
      quarantine: quarantineStore(house.table),
      deliveries: outage.ports.deliveries,
      due: outage.ports.due,
      counters: counterStore(house.table),
      log: () => {},
    };
    const steps = letters.filter(({ body }) => body.includes('"step":"probe"'));
    expect(steps).toHaveLength(1);
    await sweepDue(house.sweepPorts(outage.lane), house.now());
    await deadLettersWorker(ports, house.now)({ Records: steps }, { getRemainingTimeInMillis: () => 60_000 });
    house.turn(29 * MINUTE);
    await sweepDue(house.sweepPorts(outage.lane), house.now());
    house.turn(MINUTE);
    await handOut(house.eventSource, outage.lane.deliveries, outage.worker);
    await outage.work();
    expect(new Set(Object.values(await outage.statuses()))).toEqual(new Set(["delivered"]));
  });
});
