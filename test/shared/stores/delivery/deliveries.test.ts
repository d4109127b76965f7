import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { table as names } from "../../../../shared/config/names.ts";
import type { AttemptOutcome, Verdict } from "../../../../shared/domain/delivery/deliveries.ts";
import { deriveUlid, newUlid } from "../../../../shared/kernel/ids.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { MINUTE } from "../../../../shared/kernel/time.ts";
import { openTable, type Table } from "../../../../shared/stores/client.ts";
import { type Deliveries, deliveryStore } from "../../../../shared/stores/delivery/deliveries.ts";
import type { DeliveryRow, NewDelivery } from "../../../../shared/stores/delivery/delivery-items.ts";
import { startTestTable, type TestTable } from "../../../support/dynamodb.ts";
import { type Fault, injectFaults } from "../../../support/faults.ts";
import { NOW, newTenant, sampleConversationId } from "../support/samples.ts";

const LEASE = MINUTE;
const serviceUnavailable: AttemptOutcome = { kind: "answered", status: 503, retryAfter: null, durationMs: 7 };
const success: AttemptOutcome = { kind: "answered", status: 200, retryAfter: null, durationMs: 8 };
const retrying: Verdict = { status: "retrying", nextRetryAt: NOW };
const delivered: Verdict = { status: "delivered" };

let table: TestTable;
let tableHandle: Table;
let deliveries: Deliveries;
let tenant: TenantId;
let target: NewDelivery;
beforeAll(async () => {
  table = await startTestTable();
  tableHandle = openTable(table.tableName, table.client);
  deliveries = deliveryStore(tableHandle);
});
afterAll(() => table.close());
beforeEach(() => {
  tenant = newTenant();
  target = {
    endpointId: newUlid(NOW),
    eventUlid: newUlid(NOW),
    eventType: "message.received",
    source: { conversationId: sampleConversationId(tenant), position: `${NOW}#place` },
  };
});

const row = () => deliveries.get(tenant, target.endpointId, target.eventUlid);
const claim = (attempt: number, now = NOW) => deliveries.claimDelivery(tenant, { ...target, attempt }, now);
const recordFirst = (verdict: Verdict, outcome: AttemptOutcome | null) =>
  deliveries.recordFirst(tenant, target, { verdict, outcome, settledAt: NOW });

async function claimOrThrow(attempt: number, now = NOW): Promise<DeliveryRow> {
  const answer = await claim(attempt, now);
  if (answer.outcome !== "claimed") throw new Error(`The claim ended in ${answer.outcome}.`);
  return answer.row;
}

/** The endpoint's deliveries in the sparse index. */
async function failingEndpoints(): Promise<string[]> {
  const { Items = [] } = await tableHandle.client.send(
    new QueryCommand({
      TableName: table.tableName,
      IndexName: names.failingIndex.name,
      KeyConditionExpression: "W = :w",
      ExpressionAttributeValues: { ":w": `${tenant}#${target.endpointId}` },
    }),
  );
  // The index projects no other attribute of an attempt, because each attempt would write it again.
  for (const item of Items) expect(Object.keys(item).sort()).toEqual(["PK", "SK", "W", "st"]);
  return Items.map((item) => item.SK as string);
}

describe("the first attempt", () => {
  it("writes the row with its outcome once; a later writer gets the stored row", async () => {
    expect(await recordFirst(retrying, serviceUnavailable)).toBeNull();
    const existing = await recordFirst(delivered, success);
    expect(existing).toEqual(await row());
    expect(existing).toMatchObject({
      status: "retrying",
      attempt: 1,
      nextRetryAt: NOW,
      leaseUntil: null,
      lastResponseStatus: 503,
      lastError: "status",
      lastDurationMs: 7,
      source: target.source,
    });
  });

  it.each([
    ["the gate refused", { kind: "refused_by_gate", reason: "no" } as const, "gate"],
    ["nobody made, because the endpoint is paused", null, null],
  ])("that %s is blocked and uses no attempt", async (_name, outcome, error) => {
    await recordFirst({ status: "blocked" }, outcome);
    expect(await row()).toMatchObject({ status: "blocked", attempt: 0, lastError: error, lastDurationMs: null });
  });
});

describe("a claim", () => {
  it("leases the next attempt for a minute", async () => {
    await recordFirst(retrying, serviceUnavailable);
    expect(await claim(2)).toMatchObject({
      outcome: "claimed",
      row: { status: "attempting", attempt: 2, leaseUntil: NOW + LEASE, nextRetryAt: null },
    });
  });

  it("is refused until the last millisecond of another lease", async () => {
    await recordFirst(retrying, serviceUnavailable);
    await claimOrThrow(2);
    expect(await claim(2, NOW + LEASE - 1)).toEqual({ outcome: "leased", until: NOW + LEASE });
    expect(await claim(2, NOW + LEASE)).toMatchObject({ outcome: "abandoned", row: { attempt: 2 } });
  });

  it("of a finished attempt returns the row, which has moved on", async () => {
    await recordFirst(retrying, serviceUnavailable);
    await deliveries.settleDelivery(tenant, await claimOrThrow(2), {
      verdict: { status: "retrying", nextRetryAt: NOW + 9_000 },
      outcome: serviceUnavailable,
      settledAt: NOW + 100,
    });
    expect(await claim(2)).toMatchObject({ outcome: "moved_on", row: { attempt: 2, nextRetryAt: NOW + 9_000 } });
    expect(await claim(1)).toMatchObject({ outcome: "moved_on" });
    expect(await claim(4)).toMatchObject({ outcome: "moved_on", row: { attempt: 2 } });
    expect(await row()).toMatchObject({ status: "retrying", attempt: 2, updatedAt: NOW + 100 });
  });

  it("of an attempt before the one in progress finds nothing to do", async () => {
    await recordFirst(retrying, serviceUnavailable);
    await claimOrThrow(2);
    expect(await claim(1)).toEqual({ outcome: "gone" });
    expect(await claim(3)).toEqual({ outcome: "gone" });
  });

  it("of a missing row finds nothing to do", async () => {
    expect(await claim(2)).toEqual({ outcome: "gone" });
    expect(await row()).toBeNull();
  });

  it("succeeds for one of ten concurrent workers", async () => {
    await recordFirst(retrying, serviceUnavailable);
    const answers = await Promise.all(Array.from({ length: 10 }, () => claim(2)));
    expect(answers.filter(({ outcome }) => outcome === "claimed")).toHaveLength(1);
    expect(answers.filter(({ outcome }) => outcome === "leased")).toHaveLength(9);
  });
});

describe("settling", () => {
  it.each([
    ["delivered", delivered, success, { attempt: 2, lastError: null, lastResponseStatus: 200 }],
    ["failed", { status: "failed" }, { ...serviceUnavailable, status: 410 }, { attempt: 2, lastResponseStatus: 410 }],
    ["dlq", { status: "dlq" }, serviceUnavailable, { attempt: 2, lastResponseStatus: 503 }],
    ["blocked", { status: "blocked" }, { kind: "refused_by_gate", reason: "no" }, { attempt: 1, lastError: "gate" }],
    ["blocked", { status: "blocked" }, null, { attempt: 1, lastResponseStatus: null, lastError: null }],
  ] as const)("as %s leaves no lease and no retry", async (status, verdict, outcome, rest) => {
    await recordFirst(retrying, serviceUnavailable);
    expect(
      await deliveries.settleDelivery(tenant, await claimOrThrow(2), { verdict, outcome, settledAt: NOW + 50 }),
    ).toBe(true);
    expect(await row()).toMatchObject({ status, leaseUntil: null, nextRetryAt: null, updatedAt: NOW + 50, ...rest });
  });

  it("is refused once the row has another claim", async () => {
    await recordFirst(retrying, serviceUnavailable);
    const claimedRow = await claimOrThrow(2);
    await deliveries.settleDelivery(tenant, claimedRow, {
      verdict: { status: "retrying", nextRetryAt: NOW + 1 },
      outcome: serviceUnavailable,
      settledAt: NOW + 10,
    });
    const settled = await row();
    expect(
      await deliveries.settleDelivery(tenant, claimedRow, {
        verdict: delivered,
        outcome: success,
        settledAt: NOW + 20,
      }),
    ).toBe(false);
    expect(await row()).toEqual(settled);
  });
});

describe("a reset", () => {
  const reset = (trigger: "replay" | "forced_replay" = "replay") =>
    deliveries.reset(tenant, target, { trigger, audit: null, now: NOW + 70 });

  it("makes the first attempt due now, and keeps the result of the last one readable", async () => {
    await recordFirst({ status: "dlq" }, serviceUnavailable);
    expect(await reset()).toBe(true);
    expect(await row()).toMatchObject({
      status: "pending",
      attempt: 0,
      nextRetryAt: NOW + 70,
      updatedAt: NOW + 70,
      lastResponseStatus: 503,
    });
    expect(await failingEndpoints()).toEqual([target.eventUlid]);
    expect(await claim(1, NOW + 69)).toMatchObject({ outcome: "not_due", dueAt: NOW + 70 });
    expect(await claim(1, NOW + 70)).toMatchObject({ outcome: "claimed", row: { attempt: 1 } });
  });

  it("puts a delivered event back into the index of undelivered ones", async () => {
    await recordFirst(delivered, success);
    expect(await reset()).toBe(false);
    expect(await reset("forced_replay")).toBe(true);
    expect(await failingEndpoints()).toEqual([target.eventUlid]);
  });

  it("prevents an earlier worker from settling an attempt with the same number", async () => {
    await recordFirst(retrying, serviceUnavailable);
    const lost = await claimOrThrow(2);
    await deliveries.giveUp(tenant, { ...target, attempt: 2 }, NOW + 60);
    await reset();
    const first = await claimOrThrow(1, NOW + 71);
    await deliveries.settleDelivery(tenant, first, {
      verdict: { status: "retrying", nextRetryAt: NOW + 72 },
      outcome: serviceUnavailable,
      settledAt: NOW + 72,
    });
    const second = await claimOrThrow(2, NOW + 73);
    expect(
      await deliveries.settleDelivery(tenant, lost, {
        verdict: { status: "dlq" },
        outcome: serviceUnavailable,
        settledAt: NOW + 74,
      }),
    ).toBe(false);
    expect(
      await deliveries.settleDelivery(tenant, second, { verdict: delivered, outcome: success, settledAt: NOW + 75 }),
    ).toBe(true);
    expect(await row()).toMatchObject({ status: "delivered", attempt: 2 });
  });

  it("never creates a row", async () => {
    expect(await reset("forced_replay")).toBe(false);
    expect(await row()).toBeNull();
  });

  it.each<Fault>(["lost", "fail", "throttle", "twice"])("(%s) is done once, with its audit row", async (fault) => {
    await recordFirst({ status: "dlq" }, serviceUnavailable);
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
    expect(await deliveries.reset(tenant, target, { trigger: "replay", audit, now: NOW })).toBe(true);
    const pending = { ...target, eventUlid: newUlid(NOW) };
    await deliveries.recordPending(tenant, pending, { ...audit, action: "webhook.test" }, NOW);
    end();
    const { Items = [] } = await tableHandle.client.send(
      new QueryCommand({
        TableName: table.tableName,
        KeyConditionExpression: "PK = :a",
        ExpressionAttributeValues: { ":a": `A#${tenant}` },
      }),
    );
    expect(Items.map((item) => item.ac).sort()).toEqual(["webhook.replay", "webhook.test"]);
    expect(await deliveries.get(tenant, target.endpointId, pending.eventUlid)).toMatchObject({
      status: "pending",
      attempt: 0,
      source: target.source,
    });
  });
});

describe("giving up a delivery", () => {
  it("marks a row whose attempt could not be processed, and leaves one that moved on", async () => {
    await recordFirst(retrying, serviceUnavailable);
    await deliveries.giveUp(tenant, { ...target, attempt: 0 }, NOW + 5);
    expect(await row()).toMatchObject({ status: "retrying" });
    await deliveries.giveUp(tenant, { ...target, attempt: 2 }, NOW + 5);
    expect(await row()).toMatchObject({ status: "dlq", nextRetryAt: null, leaseUntil: null });
    expect(await failingEndpoints()).toEqual([target.eventUlid]);
  });

  it("leaves a row that was replayed since, and one whose next attempt is in progress", async () => {
    await recordFirst({ status: "dlq" }, serviceUnavailable);
    await deliveries.reset(tenant, target, { trigger: "replay", audit: null, now: NOW });
    await deliveries.giveUp(tenant, { ...target, attempt: 7 }, NOW);
    expect(await row()).toMatchObject({ status: "pending", attempt: 0 });
    await claimOrThrow(1);
    await deliveries.giveUp(tenant, { ...target, attempt: 0 }, NOW);
    expect(await row()).toMatchObject({ status: "attempting", attempt: 1 });
  });

  it("never changes a delivered row, and creates none", async () => {
    await deliveries.giveUp(tenant, { ...target, attempt: 9 }, NOW);
    expect(await row()).toBeNull();
    await recordFirst(delivered, success);
    await deliveries.giveUp(tenant, { ...target, attempt: 9 }, NOW);
    expect(await row()).toMatchObject({ status: "delivered" });
  });
});

describe("the index of undelivered events", () => {
  it("has no entry for a delivery that succeeds at once", async () => {
    await recordFirst(delivered, success);
    expect(await failingEndpoints()).toEqual([]);
  });

  it("has a delivery from its first failure until it is delivered", async () => {
    await recordFirst(retrying, serviceUnavailable);
    expect(await failingEndpoints()).toEqual([target.eventUlid]);
    const claimedRow = await claimOrThrow(2);
    expect(await failingEndpoints()).toEqual([target.eventUlid]);
    await deliveries.settleDelivery(tenant, claimedRow, { verdict: delivered, outcome: success, settledAt: NOW });
    expect(await failingEndpoints()).toEqual([]);
    const { Item } = await tableHandle.client.send(
      new GetCommand({
        TableName: table.tableName,
        Key: { PK: `D#${tenant}#${target.endpointId}#0`, SK: target.eventUlid },
      }),
    );
    expect(Item).toBeDefined();
    expect(Item).not.toHaveProperty("W");
  });
});

describe("a lost response", () => {
  const faults: Fault[] = ["lost", "fail", "throttle", "twice"];

  it.each(faults)("(%s) at any request still returns the result to the writer", async (fault) => {
    for (let k = 0; ; k++) {
      target = { ...target, eventUlid: newUlid(NOW) };
      let reached = false;
      const end = injectFaults(table.client, ({ index }) => {
        if (index !== k) return "pass";
        reached = true;
        return fault;
      });
      const before = await recordFirst(retrying, serviceUnavailable);
      // A writer that finds its own row schedules the same retry.
      if (before) expect(before).toMatchObject({ status: "retrying", attempt: 1, nextRetryAt: NOW });
      const claimedRow = await claimOrThrow(2);
      expect(claimedRow).toMatchObject({ attempt: 2, leaseUntil: NOW + LEASE });
      expect(
        await deliveries.settleDelivery(tenant, claimedRow, {
          verdict: retrying,
          outcome: serviceUnavailable,
          settledAt: NOW + 1,
        }),
      ).toBe(true);
      expect(
        await deliveries.settleDelivery(tenant, await claimOrThrow(3, NOW + 2), {
          verdict: { status: "blocked" },
          outcome: null,
          settledAt: NOW + 2,
        }),
      ).toBe(true);
      end();
      expect(await row()).toMatchObject({ status: "blocked", attempt: 2 });
      if (!reached) {
        expect(k).toBeGreaterThanOrEqual(5);
        return;
      }
    }
  });
});

describe("an endpoint's list", () => {
  it("is newest event first and has each once, including several of one millisecond", async () => {
    const ulids = Array.from({ length: 23 }, (_, i) => deriveUlid(NOW - Math.floor(i / 5), `event ${i}`));
    for (const eventUlid of ulids)
      await deliveries.recordFirst(
        tenant,
        { ...target, eventUlid },
        { verdict: delivered, outcome: success, settledAt: NOW },
      );
    const visited: string[] = [];
    let before: string | null = null;
    do {
      const { rows, next } = await deliveries.list(tenant, {
        endpointId: target.endpointId,
        before,
        limit: 4,
        now: NOW,
      });
      visited.push(...rows.map(({ eventUlid }) => eventUlid));
      before = next;
    } while (before !== null);
    expect(visited).toEqual([...ulids].sort().reverse());
    expect(
      (await deliveries.list(newTenant(), { endpointId: target.endpointId, before, limit: 4, now: NOW })).rows,
    ).toEqual([]);
  });
});
