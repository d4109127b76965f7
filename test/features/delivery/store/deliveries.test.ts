import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { deriveUlid } from "#base/kernel/ids.ts";
import { MINUTE } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { type Fault, injectFaults } from "../../../support/faults.ts";
import { NOW, newTenant } from "../../../support/stores/samples.ts";
import {
  delivered,
  openDelivery,
  retrying,
  serviceUnavailable,
  success,
  type TestDelivery,
  useDelivery,
} from "../../../support/stores/test-delivery.ts";

const LEASE = MINUTE;

let table: Table;
let delivery: TestDelivery;
useDelivery((opened, openedTable) => {
  delivery = opened;
  table = openedTable;
});

describe("the first attempt", () => {
  it("writes the row with its outcome once; a later writer gets the stored row", async () => {
    expect(await delivery.recordFirst(retrying, serviceUnavailable)).toBeNull();
    const existing = await delivery.recordFirst(delivered, success);
    expect(existing).toEqual(await delivery.row());
    expect(existing).toMatchObject({
      status: "retrying",
      attempt: 1,
      nextRetryAt: NOW,
      leaseUntil: null,
      lastResponseStatus: 503,
      lastError: "status",
      lastDurationMs: 7,
      source: delivery.target.source,
    });
  });

  it.each([
    ["the gate refused", { kind: "refused_by_gate", reason: "no" } as const, "gate"],
    ["no worker made, because the endpoint is paused", null, null],
  ])("that %s is blocked and uses no attempt", async (_name, outcome, error) => {
    await delivery.recordFirst({ status: "blocked" }, outcome);
    expect(await delivery.row()).toMatchObject({
      status: "blocked",
      attempt: 0,
      lastError: error,
      lastDurationMs: null,
    });
  });
});

describe("a claim", () => {
  it("leases the next attempt for a minute", async () => {
    await delivery.recordFirst(retrying, serviceUnavailable);
    expect(await delivery.claim(2)).toMatchObject({
      outcome: "claimed",
      row: { status: "attempting", attempt: 2, leaseUntil: NOW + LEASE, nextRetryAt: null },
    });
  });

  it("is refused until the last millisecond of another lease", async () => {
    await delivery.recordFirst(retrying, serviceUnavailable);
    await delivery.claimOrThrow(2);
    expect(await delivery.claim(2, NOW + LEASE - 1)).toEqual({ outcome: "leased", until: NOW + LEASE });
    expect(await delivery.claim(2, NOW + LEASE)).toMatchObject({ outcome: "abandoned", row: { attempt: 2 } });
  });

  it("of a finished attempt returns the row, which has moved on", async () => {
    await delivery.recordFirst(retrying, serviceUnavailable);
    await delivery.store.settleDelivery(delivery.tenant, await delivery.claimOrThrow(2), {
      verdict: { status: "retrying", nextRetryAt: NOW + 9_000 },
      outcome: serviceUnavailable,
      settledAt: NOW + 100,
    });
    expect(await delivery.claim(2)).toMatchObject({
      outcome: "moved_on",
      row: { attempt: 2, nextRetryAt: NOW + 9_000 },
    });
    expect(await delivery.claim(1)).toMatchObject({ outcome: "moved_on" });
    expect(await delivery.claim(4)).toMatchObject({ outcome: "moved_on", row: { attempt: 2 } });
    expect(await delivery.row()).toMatchObject({ status: "retrying", attempt: 2, updatedAt: NOW + 100 });
  });

  it("of an attempt before the one in progress finds nothing to do", async () => {
    await delivery.recordFirst(retrying, serviceUnavailable);
    await delivery.claimOrThrow(2);
    expect(await delivery.claim(1)).toEqual({ outcome: "gone" });
    expect(await delivery.claim(3)).toEqual({ outcome: "gone" });
  });

  it("of a missing row finds nothing to do", async () => {
    expect(await delivery.claim(2)).toEqual({ outcome: "gone" });
    expect(await delivery.row()).toBeNull();
  });

  it("succeeds for one of ten concurrent workers", async () => {
    await delivery.recordFirst(retrying, serviceUnavailable);
    const answers = await Promise.all(Array.from({ length: 10 }, () => delivery.claim(2)));
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
    await delivery.recordFirst(retrying, serviceUnavailable);
    expect(
      await delivery.store.settleDelivery(delivery.tenant, await delivery.claimOrThrow(2), {
        verdict,
        outcome,
        settledAt: NOW + 50,
      }),
    ).toBe(true);
    expect(await delivery.row()).toMatchObject({
      status,
      leaseUntil: null,
      nextRetryAt: null,
      updatedAt: NOW + 50,
      ...rest,
    });
  });

  it("is refused once the row has another claim", async () => {
    await delivery.recordFirst(retrying, serviceUnavailable);
    const claimedRow = await delivery.claimOrThrow(2);
    await delivery.store.settleDelivery(delivery.tenant, claimedRow, {
      verdict: { status: "retrying", nextRetryAt: NOW + 1 },
      outcome: serviceUnavailable,
      settledAt: NOW + 10,
    });
    const settled = await delivery.row();
    expect(
      await delivery.store.settleDelivery(delivery.tenant, claimedRow, {
        verdict: delivered,
        outcome: success,
        settledAt: NOW + 20,
      }),
    ).toBe(false);
    expect(await delivery.row()).toEqual(settled);
  });
});

describe("the index of undelivered events", () => {
  it("has no entry for a delivery that succeeds at once", async () => {
    await delivery.recordFirst(delivered, success);
    expect(await delivery.undelivered()).toEqual([]);
  });

  it("has a delivery from its first failure until it is delivered", async () => {
    await delivery.recordFirst(retrying, serviceUnavailable);
    expect(await delivery.undelivered()).toEqual([delivery.target.eventUlid]);
    const claimedRow = await delivery.claimOrThrow(2);
    expect(await delivery.undelivered()).toEqual([delivery.target.eventUlid]);
    await delivery.store.settleDelivery(delivery.tenant, claimedRow, {
      verdict: delivered,
      outcome: success,
      settledAt: NOW,
    });
    expect(await delivery.undelivered()).toEqual([]);
    const { Item } = await table.client.send(
      new GetCommand({
        TableName: table.name,
        Key: { PK: `D#${delivery.tenant}#${delivery.target.endpointId}#0`, SK: delivery.target.eventUlid },
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
      delivery = openDelivery(table);
      let reached = false;
      const end = injectFaults(table.client, ({ index }) => {
        if (index !== k) return "pass";
        reached = true;
        return fault;
      });
      const before = await delivery.recordFirst(retrying, serviceUnavailable);
      // A writer that finds its own row schedules the same retry.
      if (before) expect(before).toMatchObject({ status: "retrying", attempt: 1, nextRetryAt: NOW });
      const claimedRow = await delivery.claimOrThrow(2);
      expect(claimedRow).toMatchObject({ attempt: 2, leaseUntil: NOW + LEASE });
      expect(
        await delivery.store.settleDelivery(delivery.tenant, claimedRow, {
          verdict: retrying,
          outcome: serviceUnavailable,
          settledAt: NOW + 1,
        }),
      ).toBe(true);
      expect(
        await delivery.store.settleDelivery(delivery.tenant, await delivery.claimOrThrow(3, NOW + 2), {
          verdict: { status: "blocked" },
          outcome: null,
          settledAt: NOW + 2,
        }),
      ).toBe(true);
      end();
      expect(await delivery.row()).toMatchObject({ status: "blocked", attempt: 2 });
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
      await delivery.store.recordFirst(
        delivery.tenant,
        { ...delivery.target, eventUlid },
        { verdict: delivered, outcome: success, settledAt: NOW },
      );
    const visited: string[] = [];
    let before: string | null = null;
    do {
      const { rows, next } = await delivery.store.list(delivery.tenant, {
        endpointId: delivery.target.endpointId,
        before,
        limit: 4,
        now: NOW,
      });
      visited.push(...rows.map(({ eventUlid }) => eventUlid));
      before = next;
    } while (before !== null);
    expect(visited).toEqual([...ulids].sort().reverse());
    expect(
      (await delivery.store.list(newTenant(), { endpointId: delivery.target.endpointId, before, limit: 4, now: NOW }))
        .rows,
    ).toEqual([]);
  });
});
