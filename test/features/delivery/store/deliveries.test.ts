import { beforeEach, expect, it } from "vitest";
import { deriveUlid } from "#base/kernel/ids.ts";
import { MINUTE } from "#base/kernel/time.ts";
import { openTable } from "#base/table/client.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { type Fault, injectFaults } from "../../../support/faults.ts";
import { openedOnce } from "../../../support/opened.ts";
import { readItem } from "../../../support/stores/items.ts";
import { NOW, newTenant } from "../../../support/stores/samples.ts";
import {
  delivered,
  openDelivery,
  retrying,
  serviceUnavailable,
  success,
  type TestDelivery,
} from "../../../support/stores/test-delivery.ts";

const LEASE = MINUTE;

const testTable = openedOnce(startTestTable);
const table = openedOnce(() => openTable(testTable.tableName, testTable.client));
let delivery: TestDelivery;
beforeEach(() => {
  delivery = openDelivery(table);
});

it("the first attempt writes the row with its outcome once; a later writer gets the stored row", async () => {
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
])("the first attempt that %s is blocked and uses no attempt", async (_name, outcome, error) => {
  await delivery.recordFirst({ status: "blocked" }, outcome);
  expect(await delivery.row()).toMatchObject({
    status: "blocked",
    attempt: 0,
    lastError: error,
    lastDurationMs: null,
  });
});

it("a claim leases the next attempt for a minute", async () => {
  await delivery.recordFirst(retrying, serviceUnavailable);
  expect(await delivery.claim(2)).toMatchObject({
    outcome: "claimed",
    row: { status: "attempting", attempt: 2, leaseUntil: NOW + LEASE, nextRetryAt: null },
  });
});

it("a claim is refused until the last millisecond of another lease", async () => {
  await delivery.recordFirst(retrying, serviceUnavailable);
  await delivery.claimOrThrow(2);
  expect(await delivery.claim(2, NOW + LEASE - 1)).toEqual({ outcome: "leased", until: NOW + LEASE });
  expect(await delivery.claim(2, NOW + LEASE)).toMatchObject({ outcome: "abandoned", row: { attempt: 2 } });
});

it("a claim of a finished attempt returns the row, which has moved on", async () => {
  await delivery.recordFirst(retrying, serviceUnavailable);
  await delivery.settle(
    await delivery.claimOrThrow(2),
    { status: "retrying", nextRetryAt: NOW + 9_000 },
    serviceUnavailable,
    NOW + 100,
  );
  expect(await delivery.claim(2)).toMatchObject({
    outcome: "moved_on",
    row: { attempt: 2, nextRetryAt: NOW + 9_000 },
  });
  expect(await delivery.claim(1)).toMatchObject({ outcome: "moved_on" });
  expect(await delivery.claim(4)).toMatchObject({ outcome: "moved_on", row: { attempt: 2 } });
  expect(await delivery.row()).toMatchObject({ status: "retrying", attempt: 2, updatedAt: NOW + 100 });
});

it("a claim of an attempt before the one in progress finds nothing to do", async () => {
  await delivery.recordFirst(retrying, serviceUnavailable);
  await delivery.claimOrThrow(2);
  expect(await delivery.claim(1)).toEqual({ outcome: "gone" });
  expect(await delivery.claim(3)).toEqual({ outcome: "gone" });
});

it("a claim of a missing row finds nothing to do", async () => {
  expect(await delivery.claim(2)).toEqual({ outcome: "gone" });
  expect(await delivery.row()).toBeNull();
});

it("a claim succeeds for one of ten concurrent workers", async () => {
  await delivery.recordFirst(retrying, serviceUnavailable);
  const answers = await Promise.all(Array.from({ length: 10 }, () => delivery.claim(2)));
  expect(answers.filter(({ outcome }) => outcome === "claimed")).toHaveLength(1);
  expect(answers.filter(({ outcome }) => outcome === "leased")).toHaveLength(9);
});

it.each([
  ["delivered", delivered, success, { attempt: 2, lastError: null, lastResponseStatus: 200 }],
  ["failed", { status: "failed" }, { ...serviceUnavailable, status: 410 }, { attempt: 2, lastResponseStatus: 410 }],
  ["dlq", { status: "dlq" }, serviceUnavailable, { attempt: 2, lastResponseStatus: 503 }],
  ["blocked", { status: "blocked" }, { kind: "refused_by_gate", reason: "no" }, { attempt: 1, lastError: "gate" }],
  ["blocked", { status: "blocked" }, null, { attempt: 1, lastResponseStatus: null, lastError: null }],
] as const)("settling a delivery as %s leaves no lease and no retry", async (status, verdict, outcome, rest) => {
  await delivery.recordFirst(retrying, serviceUnavailable);
  expect(await delivery.settle(await delivery.claimOrThrow(2), verdict, outcome, NOW + 50)).toBe(true);
  expect(await delivery.row()).toMatchObject({
    status,
    leaseUntil: null,
    nextRetryAt: null,
    updatedAt: NOW + 50,
    ...rest,
  });
});

it("settling a delivery is refused once the row has another claim", async () => {
  await delivery.recordFirst(retrying, serviceUnavailable);
  const claimedRow = await delivery.claimOrThrow(2);
  await delivery.settle(claimedRow, { status: "retrying", nextRetryAt: NOW + 1 }, serviceUnavailable, NOW + 10);
  const settled = await delivery.row();
  expect(await delivery.settle(claimedRow, delivered, success, NOW + 20)).toBe(false);
  expect(await delivery.row()).toEqual(settled);
});

it("the index of undelivered events has no entry for a delivery that succeeds at once", async () => {
  await delivery.recordFirst(delivered, success);
  expect(await delivery.undelivered()).toEqual([]);
});

it("the index of undelivered events has a delivery from its first failure until it is delivered", async () => {
  await delivery.recordFirst(retrying, serviceUnavailable);
  expect(await delivery.undelivered()).toEqual([delivery.target.eventUlid]);
  const claimedRow = await delivery.claimOrThrow(2);
  expect(await delivery.undelivered()).toEqual([delivery.target.eventUlid]);
  await delivery.settle(claimedRow, delivered, success);
  expect(await delivery.undelivered()).toEqual([]);
  const Item = await readItem(table, {
    PK: `D#${delivery.tenant}#${delivery.target.endpointId}#0`,
    SK: delivery.target.eventUlid,
  });
  expect(Item).toBeDefined();
  expect(Item).not.toHaveProperty("W");
});

const faults: Fault[] = ["lost", "fail", "throttle", "twice"];

it.each(faults)("a lost response (%s) at any request still returns the result to the writer", async (fault) => {
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
    expect(await delivery.settle(claimedRow, retrying, serviceUnavailable, NOW + 1)).toBe(true);
    expect(await delivery.settle(await delivery.claimOrThrow(3, NOW + 2), { status: "blocked" }, null, NOW + 2)).toBe(
      true,
    );
    end();
    expect(await delivery.row()).toMatchObject({ status: "blocked", attempt: 2 });
    if (!reached) {
      expect(k).toBeGreaterThanOrEqual(5);
      return;
    }
  }
});

it("an endpoint's list is newest event first and has each once, including several of one millisecond", async () => {
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

it("the repeated message of an earlier or a later attempt claims nothing", async () => {
  await delivery.recordFirst(retrying, serviceUnavailable);
  const row = await delivery.row();
  for (const attempt of [1, 3]) expect(await delivery.claim(attempt)).toMatchObject({ outcome: "moved_on" });
  expect(await delivery.row()).toEqual(row);
});

it("a delivery whose event is gone does not fail while an attempt is in progress", async () => {
  await delivery.recordFirst(retrying, serviceUnavailable);
  const row = (await delivery.row()) ?? expect.unreachable("it has a row");
  await delivery.claimOrThrow(2);
  const claimed = await delivery.row();
  expect(claimed).toMatchObject({ status: "attempting", leaseUntil: NOW + LEASE });
  expect(await delivery.store.failWaiting(delivery.tenant, row, NOW)).toBe(false);
  expect(await delivery.row()).toEqual(claimed);
});
