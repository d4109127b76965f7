import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import type { Table } from "#base/table/client.ts";
import { type Fault, injectFaults } from "../../../support/faults.ts";
import { NOW } from "../../../support/stores/samples.ts";
import {
  delivered,
  retrying,
  serviceUnavailable,
  success,
  type TestDelivery,
  useDelivery,
} from "../../../support/stores/test-delivery.ts";

let table: Table;
let delivery: TestDelivery;
useDelivery((opened, openedTable) => {
  delivery = opened;
  table = openedTable;
});

describe("a reset", () => {
  const reset = (trigger: "replay" | "forced_replay" = "replay") =>
    delivery.store.reset(delivery.tenant, delivery.target, { trigger, author: null, now: NOW + 70 });

  it("makes the first attempt due now, and keeps the result of the last one readable", async () => {
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

  it("puts a delivered event back into the index of undelivered ones", async () => {
    await delivery.recordFirst(delivered, success);
    expect(await reset()).toBe("not_allowed");
    expect(await reset("forced_replay")).toBe("reset");
    expect(await delivery.undelivered()).toEqual([delivery.target.eventUlid]);
  });

  it("prevents an earlier worker from settling an attempt with the same number", async () => {
    await delivery.recordFirst(retrying, serviceUnavailable);
    const lost = await delivery.claimOrThrow(2);
    await delivery.store.abandon(delivery.tenant, { ...delivery.target, attempt: 2 }, NOW + 60);
    await reset();
    const first = await delivery.claimOrThrow(1, NOW + 71);
    await delivery.store.settleDelivery(delivery.tenant, first, {
      verdict: { status: "retrying", nextRetryAt: NOW + 72 },
      outcome: serviceUnavailable,
      settledAt: NOW + 72,
    });
    const second = await delivery.claimOrThrow(2, NOW + 73);
    expect(
      await delivery.store.settleDelivery(delivery.tenant, lost, {
        verdict: { status: "dlq" },
        outcome: serviceUnavailable,
        settledAt: NOW + 74,
      }),
    ).toBe(false);
    expect(
      await delivery.store.settleDelivery(delivery.tenant, second, {
        verdict: delivered,
        outcome: success,
        settledAt: NOW + 75,
      }),
    ).toBe(true);
    expect(await delivery.row()).toMatchObject({ status: "delivered", attempt: 2 });
  });

  it("never creates a row", async () => {
    expect(await reset("forced_replay")).toBe("not_allowed");
    expect(await delivery.row()).toBeNull();
  });

  it.each<Fault>(["lost", "fail", "throttle", "twice"])("(%s) is done once, with its audit row", async (fault) => {
    await delivery.recordFirst({ status: "dlq" }, serviceUnavailable);
    const audit = {
      action: "webhook.replay",
      resource: "webhook:x",
      actor: "cli",
      ip: null,
      detail: {},
      at: NOW,
    } as const;
    let times = 0;
    const end = injectFaults(table.client, () => (times++ % 2 === 0 ? fault : "pass"));
    const restart = { trigger: "replay", author: { audit, actor: null }, now: NOW } as const;
    expect(await delivery.store.reset(delivery.tenant, delivery.target, restart)).toBe("reset");
    const pending = { ...delivery.target, eventUlid: newUlid(NOW) };
    const author = { audit: { ...audit, action: "webhook.test" }, actor: null } as const;
    expect(await delivery.store.recordPending(delivery.tenant, pending, author, NOW)).toBe("recorded");
    end();
    const { Items = [] } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: "PK = :a",
        ExpressionAttributeValues: { ":a": `A#${delivery.tenant}` },
      }),
    );
    expect(Items.map((item) => item.ac).sort()).toEqual(["webhook.replay", "webhook.test"]);
    expect(await delivery.store.get(delivery.tenant, delivery.target.endpointId, pending.eventUlid)).toMatchObject({
      status: "pending",
      attempt: 0,
      source: delivery.target.source,
    });
  });
});

describe("abandoning a delivery", () => {
  it("marks a row whose attempt could not be processed, and leaves one that moved on", async () => {
    await delivery.recordFirst(retrying, serviceUnavailable);
    await delivery.store.abandon(delivery.tenant, { ...delivery.target, attempt: 0 }, NOW + 5);
    expect(await delivery.row()).toMatchObject({ status: "retrying" });
    await delivery.store.abandon(delivery.tenant, { ...delivery.target, attempt: 2 }, NOW + 5);
    expect(await delivery.row()).toMatchObject({ status: "dlq", nextRetryAt: null, leaseUntil: null });
    expect(await delivery.undelivered()).toEqual([delivery.target.eventUlid]);
  });

  it("leaves a row that was replayed since, and one whose next attempt is in progress", async () => {
    await delivery.recordFirst({ status: "dlq" }, serviceUnavailable);
    await delivery.store.reset(delivery.tenant, delivery.target, { trigger: "replay", author: null, now: NOW });
    await delivery.store.abandon(delivery.tenant, { ...delivery.target, attempt: 7 }, NOW);
    expect(await delivery.row()).toMatchObject({ status: "pending", attempt: 0 });
    await delivery.claimOrThrow(1);
    await delivery.store.abandon(delivery.tenant, { ...delivery.target, attempt: 0 }, NOW);
    expect(await delivery.row()).toMatchObject({ status: "attempting", attempt: 1 });
  });

  it("never changes a delivered row, and creates none", async () => {
    await delivery.store.abandon(delivery.tenant, { ...delivery.target, attempt: 9 }, NOW);
    expect(await delivery.row()).toBeNull();
    await delivery.recordFirst(delivered, success);
    await delivery.store.abandon(delivery.tenant, { ...delivery.target, attempt: 9 }, NOW);
    expect(await delivery.row()).toMatchObject({ status: "delivered" });
  });
});
