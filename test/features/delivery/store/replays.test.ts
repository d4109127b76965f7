import { expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { openTable } from "#base/table/client.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { type Fault, injectFaults } from "../../../support/faults.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import { queryItems } from "../../../support/stores/items.ts";
import { NOW } from "../../../support/stores/samples.ts";
import {
  delivered,
  openDelivery,
  retrying,
  serviceUnavailable,
  success,
} from "../../../support/stores/test-delivery.ts";
import { auditOf } from "../../access/store/support/team-samples.ts";

const testTable = openedOnce(startTestTable);
const table = openedOnce(() => openTable(testTable.tableName, testTable.client));
const delivery = openedEach(() => openDelivery(table));

const reset = (trigger: "replay" | "forced_replay" = "replay") =>
  delivery.store.reset(delivery.tenant, delivery.target, { trigger, author: null, now: NOW + 70 });

it("a reset of a delivery makes the first attempt due now, and keeps the result of the last one readable", async () => {
  await delivery.recordFirst({ status: "dlq" }, serviceUnavailable);
  expect(await reset()).toBe("reset");
  expect(await delivery.row()).toMatchObject({
    status: "pending",
    attempt: 0,
    nextRetryAt: NOW + 70,
    updatedAt: NOW + 70,
    lastResponseStatus: 503,
  });
  expect(await delivery.undelivered()).toEqual([delivery.target.eventUlid]);
  expect(await delivery.claim(1, NOW + 69)).toMatchObject({ outcome: "not_due", dueAt: NOW + 70 });
  expect(await delivery.claim(1, NOW + 70)).toMatchObject({ outcome: "claimed", row: { attempt: 1 } });
});

it("a reset of a delivery puts a delivered event back into the index of undelivered ones", async () => {
  await delivery.recordFirst(delivered, success);
  expect(await reset()).toBe("not_allowed");
  expect(await reset("forced_replay")).toBe("reset");
  expect(await delivery.undelivered()).toEqual([delivery.target.eventUlid]);
});

it("a reset of a delivery prevents an earlier worker from settling an attempt with the same number", async () => {
  await delivery.recordFirst(retrying, serviceUnavailable);
  const lost = await delivery.claimOrThrow(2);
  await delivery.abandon(2, NOW + 60);
  await reset();
  const first = await delivery.claimOrThrow(1, NOW + 71);
  await delivery.settle(first, { status: "retrying", nextRetryAt: NOW + 72 }, serviceUnavailable, NOW + 72);
  const second = await delivery.claimOrThrow(2, NOW + 73);
  expect(await delivery.settle(lost, { status: "dlq" }, serviceUnavailable, NOW + 74)).toBe(false);
  expect(await delivery.settle(second, delivered, success, NOW + 75)).toBe(true);
  expect(await delivery.row()).toMatchObject({ status: "delivered", attempt: 2 });
});

it("a reset of a delivery never creates a row", async () => {
  expect(await reset("forced_replay")).toBe("not_allowed");
  expect(await delivery.row()).toBeNull();
});

it.each<Fault>(["lost", "fail", "throttle", "twice"])(
  "a reset that meets a fault (%s) is done once, with its audit row",
  async (fault) => {
    await delivery.recordFirst({ status: "dlq" }, serviceUnavailable);
    let times = 0;
    const end = injectFaults(table.client, () => (times++ % 2 === 0 ? fault : "pass"));
    const restart = { trigger: "replay", author: { audit: auditOf("webhook.replay"), actor: null }, now: NOW } as const;
    expect(await delivery.store.reset(delivery.tenant, delivery.target, restart)).toBe("reset");
    const pending = { ...delivery.target, eventUlid: newUlid(NOW) };
    const author = { audit: auditOf("webhook.test"), actor: null };
    expect(await delivery.store.recordPending(delivery.tenant, pending, author, NOW)).toBe("recorded");
    end();
    const Items = await queryItems(table, `A#${delivery.tenant}`);
    expect(Items.map((item) => item.ac).sort()).toEqual(["webhook.replay", "webhook.test"]);
    expect(await delivery.store.get(delivery.tenant, delivery.target.endpointId, pending.eventUlid)).toMatchObject({
      status: "pending",
      attempt: 0,
      source: delivery.target.source,
    });
  },
);

it("abandoning a delivery marks a row whose attempt could not be processed, and leaves one that moved on", async () => {
  await delivery.recordFirst(retrying, serviceUnavailable);
  await delivery.abandon(0, NOW + 5);
  expect(await delivery.row()).toMatchObject({ status: "retrying" });
  await delivery.abandon(2, NOW + 5);
  expect(await delivery.row()).toMatchObject({ status: "dlq", nextRetryAt: null, leaseUntil: null });
  expect(await delivery.undelivered()).toEqual([delivery.target.eventUlid]);
});

it("abandoning a delivery leaves a row that was replayed since, and one whose next attempt is in progress", async () => {
  await delivery.recordFirst({ status: "dlq" }, serviceUnavailable);
  await delivery.store.reset(delivery.tenant, delivery.target, { trigger: "replay", author: null, now: NOW });
  await delivery.abandon(7);
  expect(await delivery.row()).toMatchObject({ status: "pending", attempt: 0 });
  await delivery.claimOrThrow(1);
  await delivery.abandon(0);
  expect(await delivery.row()).toMatchObject({ status: "attempting", attempt: 1 });
});

it("abandoning a delivery never changes a delivered row, and creates none", async () => {
  await delivery.abandon(9);
  expect(await delivery.row()).toBeNull();
  await delivery.recordFirst(delivered, success);
  await delivery.abandon(9);
  expect(await delivery.row()).toMatchObject({ status: "delivered" });
});
