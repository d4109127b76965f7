import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { newOp, newUlid } from "#base/kernel/ids.ts";
import { ATTEMPT_LEASE, RETENTION } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import {
  absentOr,
  allOf,
  anyOf,
  atMost,
  type Expression,
  equals,
  isAbsent,
  itemDoesNotExist,
} from "#base/table/expressions.ts";
import { timeToLive } from "#base/table/keys.ts";
import { put, update } from "#base/table/writes.ts";
import { deliveryStatusesBefore, type InitialStatus, spendsAttempt } from "../rules/deliveries.ts";
import { UnreleasedClaim } from "../rules/unreleased-claim.ts";
import { deliveryAttributes as A } from "./attributes.ts";
import { deliveryPages } from "./delivery-pages.ts";
import { deliveryStarts } from "./delivery-starts.ts";
import {
  type AttemptKey,
  type AttemptRecord,
  allows,
  attemptFields,
  type ClaimKey,
  type DeliveryItem,
  type DeliveryRow,
  deliveryKey,
  eventFields,
  failingIndex,
  type NewDelivery,
  outcomeFields,
  toDeliveryRow,
  undeliveredPartition,
} from "./items.ts";

export type Claim =
  | { readonly outcome: "claimed"; readonly row: DeliveryRow }
  /** Another worker's attempt is in progress. */
  | { readonly outcome: "leased"; readonly until: Millis }
  /** The lease of the worker that claimed this attempt expired. */
  | { readonly outcome: "abandoned"; readonly row: DeliveryRow }
  /** The row is past this attempt. */
  | { readonly outcome: "moved_on"; readonly row: DeliveryRow }
  /** The row waits for this attempt, which is due later. */
  | { readonly outcome: "not_due"; readonly row: DeliveryRow; readonly dueAt: Millis }
  | { readonly outcome: "gone" };

export type Deliveries = ReturnType<typeof deliveryStore>;

export function deliveryStore(table: Table) {
  const { client, name: TableName } = table;
  return {
    ...deliveryPages(table),
    ...deliveryStarts(table),

    /**
     * Creates a delivery's row with the outcome of its first attempt, or before the attempt when that is postponed.
     * @returns null when the row was created, else the row that existed
     */
    async recordFirst(
      tenant: TenantId,
      delivery: NewDelivery,
      record: AttemptRecord<InitialStatus>,
    ): Promise<DeliveryRow | null> {
      const { verdict, outcome, settledAt } = record;
      const op = newOp(settledAt);
      const item = {
        ...deliveryKey(tenant, delivery.endpointId, delivery.eventUlid),
        ...eventFields(delivery),
        // Nothing continues a delivered event's trace, and a page of such rows is read by the byte.
        ...(verdict.status === "delivered" ? { [A.traceId]: undefined } : {}),
        [A.status]: verdict.status,
        [A.settledAttempts]: outcome === null || outcome.kind === "refused_by_gate" ? 0 : 1,
        ...outcomeFields(outcome),
        ...attemptFields(null, record),
        [A.nextAttemptAt]: nextAttemptAt(verdict, settledAt),
        [A.op]: op,
        [A.updatedAt]: settledAt,
        [A.ttl]: timeToLive(settledAt + RETENTION),
        ...failingIndex(tenant, delivery.endpointId, verdict.status),
      };
      const result = await conditionalWrite<DeliveryItem>(table, put(item, itemDoesNotExist), {
        ownMark: { [A.op]: op },
      });
      return result.applied || !result.current ? null : toDeliveryRow(result.current);
    },

    async get(tenant: TenantId, endpointId: string, eventUlid: string): Promise<DeliveryRow | null> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: deliveryKey(tenant, endpointId, eventUlid), ConsistentRead: true }),
      );
      return Item ? toDeliveryRow(Item as DeliveryItem) : null;
    },

    /**
     * Claims an attempt for the duration of a lease.
     * @throws when the table does not respond. A claim that was written nevertheless is given back
     * @throws UnreleasedClaim when that fails too
     */
    async claimDelivery(
      tenant: TenantId,
      { endpointId, eventUlid, attempt, unreleasedClaim }: ClaimKey,
      now: Millis,
    ): Promise<Claim> {
      const op = newUlid(now);
      const set = { [A.leaseUntil]: now + ATTEMPT_LEASE, [A.updatedAt]: now, [A.op]: op };
      const key = deliveryKey(tenant, endpointId, eventUlid);
      const isFree = allOf(allows("claim"), isDue(now));
      const continues = unreleasedClaim ? [allOf(allows("continue"), equals(A.op, unreleasedClaim))] : [];
      const isClaimable = allOf(isCurrentAttempt(attempt), anyOf(isFree, ...continues));
      const ownMark = { [A.op]: op };
      const result = await conditionalWrite<DeliveryItem>(table, update(key, { set }, isClaimable, "ALL_NEW"), {
        ownMark,
      }).catch(async (error: unknown) => {
        const release = update(key, { set: { [A.nextAttemptAt]: now }, remove: [A.leaseUntil] }, equals(A.op, op));
        await conditionalWrite(table, release).catch(() => {
          throw new UnreleasedClaim(op, error);
        });
        throw error;
      });
      const item = result.applied ? result.item : result.current;
      if (!item) return { outcome: "gone" };
      const row = toDeliveryRow(item);
      return result.applied ? { outcome: "claimed", row } : refusedClaim(row, attempt, now);
    },

    /** Stores the result of an attempt if the row still has its claim. @returns false when it does not */
    async settleDelivery(tenant: TenantId, row: DeliveryRow, record: AttemptRecord): Promise<boolean> {
      const { verdict, outcome, settledAt } = record;
      const op = newOp(settledAt);
      const set = {
        [A.status]: verdict.status,
        [A.updatedAt]: settledAt,
        [A.settledAttempts]: spendsAttempt(verdict) ? row.attempt : row.attempt - 1,
        [A.op]: op,
        [A.nextAttemptAt]: nextAttemptAt(verdict, settledAt),
        ...outcomeFields(outcome),
        ...attemptFields(row, record),
        ...failingIndex(tenant, row.endpointId, verdict.status),
      };
      const result = await conditionalWrite(
        table,
        update(
          deliveryKey(tenant, row.endpointId, row.eventUlid),
          { set, remove: [A.leaseUntil] },
          allOf(allows("settle"), isCurrentAttempt(row.attempt), ...leaseIsOurs(row)),
        ),
        { ownMark: { [A.op]: op } },
      );
      return result.applied;
    },

    /**
     * Gives a claim back: the delivery waits for the same attempt again, due now, and the attempt does not count.
     * @returns false when the claim was lost
     */
    async releaseDelivery(tenant: TenantId, row: DeliveryRow, now: Millis): Promise<boolean> {
      const op = newOp(now);
      const set = { [A.nextAttemptAt]: now, [A.updatedAt]: now, [A.op]: op };
      const result = await conditionalWrite(
        table,
        update(
          deliveryKey(tenant, row.endpointId, row.eventUlid),
          { set, remove: [A.leaseUntil] },
          allOf(allows("release"), isCurrentAttempt(row.attempt), ...leaseIsOurs(row)),
        ),
        { ownMark: { [A.op]: op } },
      );
      return result.applied;
    },

    /**
     * Ends a delivery that waits for an attempt and whose event has no body any more.
     * @returns false when the row does not wait, or an attempt is in progress
     */
    async failWaiting(tenant: TenantId, { endpointId, eventUlid }: DeliveryRow, now: Millis): Promise<boolean> {
      const op = newOp(now);
      const set = {
        [A.status]: "failed",
        [A.updatedAt]: now,
        [A.op]: op,
        ...failingIndex(tenant, endpointId, "failed"),
      };
      const result = await conditionalWrite(
        table,
        update(deliveryKey(tenant, endpointId, eventUlid), { set, remove: [A.nextAttemptAt] }, allows("event_gone")),
        { ownMark: { [A.op]: op } },
      );
      return result.applied;
    },

    /**
     * Abandons a delivery whose queue message no worker could process, whether or not its attempt was made.
     * @returns null when the row is past this attempt or was replayed
     */
    async abandon(
      tenant: TenantId,
      { endpointId, eventUlid, attempt }: AttemptKey,
      now: Millis,
    ): Promise<DeliveryRow | null> {
      const op = newOp(now);
      const set = {
        [A.status]: "dlq",
        [A.updatedAt]: now,
        [A.op]: op,
        [A.undeliveredIndex]: undeliveredPartition(tenant, endpointId),
      };
      const isSettledAttempt = allOf(equals(A.settledAttempts, attempt), isAbsent(A.leaseUntil));
      const result = await conditionalWrite<DeliveryItem>(
        table,
        update(
          deliveryKey(tenant, endpointId, eventUlid),
          { set, remove: [A.nextAttemptAt, A.leaseUntil] },
          allOf(allows("abandon"), anyOf(isCurrentAttempt(attempt), isSettledAttempt)),
          "ALL_NEW",
        ),
        { ownMark: { [A.op]: op } },
      );
      return result.applied && result.item ? toDeliveryRow(result.item) : null;
    },
  };
}

/** The next attempt, or the one in progress, has this number. */
function isCurrentAttempt(attempt: number): Expression {
  return equals(A.settledAttempts, attempt - 1);
}

function isDue(now: Millis): Expression {
  return absentOr(atMost, A.nextAttemptAt, now);
}

/** No other process claimed or replayed the row since it was read. A row from before its first claim has no op. */
function leaseIsOurs({ op }: DeliveryRow): Expression[] {
  return op === null ? [] : [equals(A.op, op)];
}

/** Why an attempt could not be claimed, from the row as stored. */
function refusedClaim(row: DeliveryRow, attempt: number, now: Millis): Claim {
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
}

/** When the next attempt is due; undefined when there is none, or when it waits for the endpoint. */
function nextAttemptAt(verdict: InitialStatus, now: Millis): Millis | undefined {
  if (verdict.status === "pending") return now;
  return verdict.status === "retrying" ? (verdict.nextRetryAt ?? undefined) : undefined;
}
