import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { expect } from "vitest";
import { table as names } from "#base/config/names.ts";
import type { AttemptOutcome } from "#base/kernel/attempt-outcome.ts";
import { newUlid } from "#base/kernel/ids.ts";
import type { Table } from "#base/table/client.ts";
import type { Verdict } from "#features/delivery/rules/deliveries.ts";
import { deliveryStore } from "#features/delivery/store/deliveries.ts";
import type { DeliveryRow, NewDelivery } from "#features/delivery/store/items.ts";
import { NOW, newTenant, sampleConversationId } from "./samples.ts";

export const serviceUnavailable: AttemptOutcome = { kind: "answered", status: 503, retryAfter: null, durationMs: 7 };
export const success: AttemptOutcome = { kind: "answered", status: 200, retryAfter: null, durationMs: 8 };
export const retrying: Verdict = { status: "retrying", nextRetryAt: NOW };
export const delivered: Verdict = { status: "delivered" };

/** A delivery of a new tenant, which has no row yet. */
export function openDelivery(table: Table) {
  const store = deliveryStore(table);
  const tenant = newTenant();
  const target: NewDelivery = {
    endpointId: newUlid(NOW),
    eventUlid: newUlid(NOW),
    eventType: "message.received",
    source: { conversationId: sampleConversationId(tenant), position: `${NOW}#place` },
  };
  const claim = (attempt: number, now = NOW) => store.claimDelivery(tenant, { ...target, attempt }, now);
  return {
    store,
    tenant,
    target,
    row: () => store.get(tenant, target.endpointId, target.eventUlid),
    recordFirst: (verdict: Verdict, outcome: AttemptOutcome | null) =>
      store.recordFirst(tenant, target, { verdict, outcome, settledAt: NOW }),
    claim,
    async claimOrThrow(attempt: number, now = NOW): Promise<DeliveryRow> {
      const answer = await claim(attempt, now);
      if (answer.outcome !== "claimed") throw new Error(`The claim ended in ${answer.outcome}.`);
      return answer.row;
    },
    /** Settles a claimed attempt. @returns whether its claim still held */
    settle: (claimed: DeliveryRow, verdict: Verdict, outcome: AttemptOutcome | null, settledAt = NOW) =>
      store.settleDelivery(tenant, claimed, { verdict, outcome, settledAt }),
    abandon: (attempt: number, now = NOW) => store.abandon(tenant, { ...target, attempt }, now),
    /** The events of the endpoint in the sparse index. */
    async undelivered(): Promise<string[]> {
      const { Items = [] } = await table.client.send(
        new QueryCommand({
          TableName: table.name,
          IndexName: names.failingIndex.name,
          KeyConditionExpression: "W = :w",
          ExpressionAttributeValues: { ":w": `${tenant}#${target.endpointId}` },
        }),
      );
      // The index projects no other attribute of an attempt, because each attempt would write it again.
      for (const item of Items) expect(Object.keys(item).sort()).toEqual(["PK", "SK", "W", "st"]);
      return Items.map((item) => item.SK as string);
    },
  };
}

export type TestDelivery = ReturnType<typeof openDelivery>;
