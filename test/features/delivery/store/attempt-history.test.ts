import { GetItemCommand } from "@aws-sdk/client-dynamodb";
import { beforeEach, expect, it } from "vitest";
import type { AttemptOutcome } from "#base/kernel/attempt-outcome.ts";
import { newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE } from "#base/kernel/time.ts";
import { openTable } from "#base/table/client.ts";
import { type PastAttempt, withAttempt } from "#features/delivery/rules/attempt-history.ts";
import { attemptErrors, type Verdict } from "#features/delivery/rules/deliveries.ts";
import { decodeAttempts, encodeAttempts } from "#features/delivery/store/attempt-history.ts";
import { deliveryStore } from "#features/delivery/store/deliveries.ts";
import { type DeliveryRow, deliveryKey, type NewDelivery } from "#features/delivery/store/items.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { type Item, itemSize } from "../../../support/item-size.ts";
import { openedOnce } from "../../../support/opened.ts";
import { NOW, newTenant, sampleConversationId } from "../../../support/stores/samples.ts";

const answer = (status: number, response?: string): AttemptOutcome => ({
  kind: "answered",
  status,
  retryAfter: null,
  durationMs: 7,
  ...(response === undefined ? {} : { response }),
});
const timeout: AttemptOutcome = { kind: "no_answer", error: "timeout", durationMs: 15_000 };
const waiting: Verdict = { status: "retrying", nextRetryAt: NOW };
let tenant: TenantId;
let target: NewDelivery;
const table = openedOnce(startTestTable);
const deliveries = openedOnce(() => deliveryStore(openTable(table.tableName, table.client)));
beforeEach(() => {
  tenant = newTenant();
  const source = { conversationId: sampleConversationId(tenant), position: `${NOW}#place` };
  target = { endpointId: newUlid(NOW), eventUlid: newUlid(NOW), eventType: "message.received", source };
});

const read = async (): Promise<DeliveryRow> =>
  (await deliveries.get(tenant, target.endpointId, target.eventUlid)) ?? expect.unreachable("it has a row");
async function readItem(): Promise<Item> {
  const { PK, SK } = deliveryKey(tenant, target.endpointId, target.eventUlid);
  const Key = { PK: { S: PK }, SK: { S: SK } };
  return (await table.client.send(new GetItemCommand({ TableName: table.tableName, Key }))).Item ?? {};
}

const first = (verdict: Verdict, outcome: AttemptOutcome | null) =>
  deliveries.recordFirst(tenant, target, { verdict, outcome, settledAt: NOW });

/** Claims an attempt and ends it. */
async function attempt(number: number, outcome: AttemptOutcome | null, at: number, verdict: Verdict = waiting) {
  const claim = await deliveries.claimDelivery(tenant, { ...target, attempt: number }, at);
  if (claim.outcome !== "claimed") throw new Error(`The claim ended in ${claim.outcome}.`);
  const record = { verdict, outcome, settledAt: at + 20_000, abandoned: outcome === null };
  expect(await deliveries.settleDelivery(tenant, claim.row, record)).toBe(true);
}

it("the history of attempts is stored in a few bytes, and is read as it was", () => {
  const entries: PastAttempt[] = [
    { attempt: 10, at: NOW, status: 200, error: null, durationMs: 0 },
    { attempt: 9, at: NOW, status: null, error: null, durationMs: null },
    ...attemptErrors.map((error) => ({
      attempt: 1,
      at: NOW,
      status: error === "status" ? 599 : null,
      error,
      durationMs: error === "gate" ? null : 15_000,
    })),
  ];
  expect(decodeAttempts(encodeAttempts(entries))).toEqual(entries);
  expect(encodeAttempts(entries).length / entries.length).toBeLessThan(22);
});

it("the history of attempts has each attempt, newest first, with the response of the newest", async () => {
  await first(waiting, answer(503, "busy"));
  expect(await read()).toMatchObject({ attempts: [{ attempt: 1, at: NOW - 7, status: 503 }], response: "busy" });
  await attempt(2, timeout, NOW + MINUTE);
  expect(await read()).toMatchObject({ response: null });
  await attempt(3, answer(200, "ok"), NOW + 2 * MINUTE, { status: "delivered" });
  expect(await read()).toMatchObject({
    response: "ok",
    attempts: [
      { attempt: 3, at: NOW + 2 * MINUTE + 20_000 - 7, status: 200, error: null, durationMs: 7 },
      { attempt: 2, at: NOW + MINUTE + 5_000, status: null, error: "timeout", durationMs: 15_000 },
      { attempt: 1, at: NOW - 7, status: 503, error: "status", durationMs: 7 },
    ],
  });
});

it("the history of attempts has an attempt whose worker died, from the time of its claim and without a result", async () => {
  await first(waiting, answer(503, "busy"));
  await attempt(2, null, NOW + MINUTE);
  const lost = { attempt: 2, at: NOW + MINUTE, status: null, error: null, durationMs: null };
  expect(await read()).toMatchObject({ attempts: [lost, { attempt: 1 }], response: null });
});

it("the history of attempts has a refused address, and nothing for a delivery that was blocked without a call", async () => {
  await first({ status: "blocked" }, { kind: "refused_by_gate", reason: "no" });
  const refused = { attempt: 1, at: NOW, status: null, error: "gate", durationMs: null };
  expect((await read()).attempts).toEqual([refused]);
  target = { ...target, eventUlid: newUlid(NOW) };
  await first({ status: "blocked" }, null);
  expect((await read()).attempts).toEqual([]);
});

it("the history of attempts of an event that is delivered at once takes no bytes, and survives a replay", async () => {
  await first({ status: "delivered" }, answer(204));
  const attempts = [{ attempt: 1, at: NOW - 7, status: 204, error: null, durationMs: 7 }];
  const row = await read();
  expect(row).toMatchObject({ attempts, response: null });
  expect(await readItem()).not.toHaveProperty("a");
  const restart = { trigger: "forced_replay", author: null, now: NOW + MINUTE } as const;
  expect(await deliveries.reset(tenant, row, restart)).toBe("reset");
  expect(await read()).toMatchObject({ status: "pending", attempts });
  await attempt(1, answer(500), NOW + 2 * MINUTE);
  expect((await read()).attempts).toMatchObject([{ attempt: 1, status: 500 }, attempts[0]]);
});

it("the history of attempts is not replaced by a replay that read an older row", async () => {
  await first({ status: "delivered" }, answer(204));
  const stale = await read();
  const restart = { trigger: "forced_replay", author: null, now: NOW } as const;
  await deliveries.reset(tenant, stale, restart);
  await attempt(1, answer(200), NOW, { status: "delivered" });
  await deliveries.reset(tenant, stale, restart);
  expect((await read()).attempts).toMatchObject([{ status: 200 }, { status: 204 }]);
});

it("the history of attempts keeps the last ten, within one write unit also with the longest response and ids", async () => {
  tenant = "t".repeat(40) as TenantId;
  const conversationId = `CONV#${tenant}#instagram#${"1".repeat(20)}#${"2".repeat(20)}`;
  const source = { conversationId, position: `${NOW}#${"p".repeat(22)}` };
  const traceId = "a".repeat(100);
  target = { ...target, source, test: true, traceId };
  await first(waiting, answer(503));
  for (let number = 2; number <= 12; number++) {
    await attempt(
      number,
      { ...answer(500, "r".repeat(256)), durationMs: 14_999 } as AttemptOutcome,
      NOW + number * MINUTE,
    );
  }
  await deliveries.claimDelivery(tenant, { ...target, attempt: 13 }, NOW + 30 * MINUTE);
  const row = await read();
  expect(row.attempts.map(({ attempt: number }) => number)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
  expect(itemSize(await readItem())).toBeLessThanOrEqual(1_024);
});

it("a new attempt pushes out the oldest of ten", () => {
  const entry = (attempt: number): PastAttempt => ({ attempt, at: NOW, status: 200, error: null, durationMs: 1 });
  const ten = Array.from({ length: 10 }, (_, index) => entry(10 - index));
  expect(withAttempt(ten, entry(11)).map(({ attempt }) => attempt)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
});
