import { GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import {
  type AttemptOutcome,
  deliveryStatusesBefore,
  type InitialStatus,
  spendsAttempt,
  type Verdict,
} from "../../domain/delivery/deliveries.ts";
import { ATTEMPT_LEASE, RETENTION } from "../../domain/limits.ts";
import { newOp, newUlid } from "../../kernel/ids.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Table } from "../client.ts";
import { conditionalWrite, conditions } from "../conditional-write.ts";
import { deliveryKey, timeToLive, undeliveredPartition } from "../keys.ts";
import {
  type DeliveryItem,
  type DeliveryRow,
  eventFields,
  failingIndex,
  type NewDelivery,
  outcomeFields,
  statusCondition,
  toDeliveryRow,
} from "./delivery-items.ts";
import { deliveryPages } from "./delivery-pages.ts";
import { deliveryStarts } from "./delivery-starts.ts";

export type Claim =
  | { readonly outcome: "claimed"; readonly row: DeliveryRow }
  /** Someone else's attempt runs until then. */
  | { readonly outcome: "leased"; readonly until: Millis }
  /** The worker that claimed this attempt died: its lease ran out. */
  | { readonly outcome: "abandoned"; readonly row: DeliveryRow }
  /** The row has moved on, and waits for a later attempt. */
  | { readonly outcome: "moved_on"; readonly row: DeliveryRow }
  /** The row waits for this very attempt, but until later. */
  | { readonly outcome: "not_due"; readonly row: DeliveryRow; readonly dueAt: Millis }
  | { readonly outcome: "gone" };

export type Deliveries = ReturnType<typeof deliveryStore>;

export function deliveryStore(table: Table) {
  const { client, name: TableName } = table;
  return {
    ...deliveryPages(table),
    ...deliveryStarts(table),

    /**
     * Writes a delivery's row for the first time, on the outcome of its first attempt, or before it where that is put off.
     * @returns null when it was written, else the row that was there before
     */
    async recordFirst(
      tenant: TenantId,
      delivery: NewDelivery,
      first: InitialStatus,
      outcome: AttemptOutcome | null,
      now: Millis,
    ): Promise<DeliveryRow | null> {
      const op = newOp(now);
      const result = await conditionalWrite(() =>
        client.send(
          new PutCommand({
            TableName,
            Item: {
              ...deliveryKey(tenant, delivery.endpointId, delivery.eventUlid),
              ...eventFields(delivery),
              st: first.status,
              n: outcome === null || outcome.kind === "refused_by_gate" ? 0 : 1,
              ...outcomeFields(outcome),
              na: nextAttemptAt(first, now),
              o: op,
              ua: now,
              x: timeToLive(now + RETENTION),
              ...failingIndex(tenant, delivery.endpointId, first.status),
            },
            ConditionExpression: conditions.itemDoesNotExist,
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        ),
      );
      // The answer to our own write was lost and the SDK asked again: what stands there is ours.
      if (result.applied || !result.current || result.current.o === op) return null;
      return toDeliveryRow(result.current as unknown as DeliveryItem);
    },

    async get(tenant: TenantId, endpointId: string, eventUlid: string): Promise<DeliveryRow | null> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: deliveryKey(tenant, endpointId, eventUlid), ConsistentRead: true }),
      );
      return Item ? toDeliveryRow(Item as DeliveryItem) : null;
    },

    /** Takes attempt number `attempt` for this worker, for as long as the lease runs. */
    async claim(tenant: TenantId, endpointId: string, eventUlid: string, attempt: number, now: Millis): Promise<Claim> {
      const op = newUlid(now);
      const from = statusCondition("claim");
      const result = await conditionalWrite(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: deliveryKey(tenant, endpointId, eventUlid),
            UpdateExpression: "SET lu = :lease, ua = :now, o = :op",
            ConditionExpression: `${from.condition} AND n = :before AND (attribute_not_exists(na) OR na <= :now)`,
            ExpressionAttributeValues: {
              ...from.values,
              ":before": attempt - 1,
              ":lease": now + ATTEMPT_LEASE,
              ":now": now,
              ":op": op,
            },
            ReturnValues: "ALL_NEW",
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        ),
      );
      if (result.applied) return { outcome: "claimed", row: toDeliveryRow(result.output.Attributes as DeliveryItem) };
      if (!result.current) return { outcome: "gone" };
      // The answer to our own write was lost and the SDK asked again: the claim is ours.
      if (result.current.o === op)
        return { outcome: "claimed", row: toDeliveryRow(result.current as unknown as DeliveryItem) };
      const row = toDeliveryRow(result.current as unknown as DeliveryItem);
      if (row.status !== "attempting") {
        const waitsForThisAttempt = deliveryStatusesBefore("claim").includes(row.status) && row.attempt === attempt - 1;
        return waitsForThisAttempt && row.nextRetryAt !== null
          ? { outcome: "not_due", row, dueAt: row.nextRetryAt }
          : { outcome: "moved_on", row };
      }
      if (row.attempt !== attempt) return { outcome: "gone" };
      return row.leaseUntil !== null && row.leaseUntil > now
        ? { outcome: "leased", until: row.leaseUntil }
        : { outcome: "abandoned", row };
    },

    /** Writes what an attempt came to, if the claim is still the row's. @returns false when it no longer is */
    async settle(
      tenant: TenantId,
      row: DeliveryRow,
      verdict: Verdict,
      outcome: AttemptOutcome | null,
      now: Millis,
    ): Promise<boolean> {
      const settleOp = newOp(now);
      const outcomeAttributes = outcomeFields(outcome);
      const from = statusCondition("settle");
      const sets = ["st = :st", "ua = :now", "n = :n", "o = :mine"];
      const removes = ["lu"];
      const values: Record<string, unknown> = {
        ":st": verdict.status,
        ":now": now,
        ":mine": settleOp,
        ":before": row.attempt - 1,
        ...(row.op === null ? {} : { ":op": row.op }),
        ":n": spendsAttempt(verdict) ? row.attempt : row.attempt - 1,
      };
      const assign = (name: string, value: unknown) => {
        if (value === undefined) removes.push(name);
        else {
          sets.push(`${name} = :${name}`);
          values[`:${name}`] = value;
        }
      };
      assign("na", nextAttemptAt(verdict, now));
      assign("lr", outcomeAttributes.lr);
      assign("le", outcomeAttributes.le);
      assign("ld", outcomeAttributes.ld);
      assign("W", failingIndex(tenant, row.endpointId, verdict.status).W);
      const result = await conditionalWrite(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: deliveryKey(tenant, row.endpointId, row.eventUlid),
            UpdateExpression: `SET ${sets.join(", ")} REMOVE ${removes.join(", ")}`,
            ConditionExpression: `${from.condition} AND n = :before${row.op === null ? "" : " AND o = :op"}`,
            ExpressionAttributeValues: values,
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        ),
      );
      if (result.applied) return true;
      // The answer to our own write was lost and the SDK asked again: what stands there is ours.
      return result.current?.o === settleOp;
    },

    /**
     * What a worker could not process is given up, whether its attempt was made or not.
     * @returns null when the row has moved on since, or begun anew
     */
    async giveUp(
      tenant: TenantId,
      endpointId: string,
      eventUlid: string,
      attempt: number,
      now: Millis,
    ): Promise<DeliveryRow | null> {
      const op = newOp(now);
      const from = statusCondition("give_up");
      const result = await conditionalWrite(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: deliveryKey(tenant, endpointId, eventUlid),
            UpdateExpression: "SET st = :dlq, ua = :now, o = :op, W = :w REMOVE na, lu",
            ConditionExpression: `${from.condition} AND (n = :before OR (n = :attempt AND attribute_not_exists(lu)))`,
            ExpressionAttributeValues: {
              ...from.values,
              ":dlq": "dlq",
              ":before": attempt - 1,
              ":attempt": attempt,
              ":now": now,
              ":op": op,
              ":w": undeliveredPartition(tenant, endpointId),
            },
            ReturnValues: "ALL_NEW",
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        ),
      );
      const row = result.applied ? result.output.Attributes : result.current;
      return row?.o === op ? toDeliveryRow(row as unknown as DeliveryItem) : null;
    },
  };
}

/** When the next attempt is due; undefined where none is, or none at a time of its own. */
function nextAttemptAt(first: InitialStatus, now: Millis): Millis | undefined {
  if (first.status === "pending") return now;
  return first.status === "retrying" ? (first.nextRetryAt ?? undefined) : undefined;
}
