import { GetCommand, PutCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import {
  type AttemptError,
  type AttemptOutcome,
  type Delivery,
  type DeliveryStatus,
  errorOf,
  type Verdict,
} from "../domain/deliveries.ts";
import type { EventType } from "../domain/events.ts";
import { ATTEMPT_LEASE, RETENTION } from "../domain/limits.ts";
import type { EventSource } from "../domain/messages.ts";
import { newUlid, timeOfUlid } from "../kernel/ids.ts";
import type { TenantId } from "../kernel/tenant.ts";
import type { Millis } from "../kernel/time.ts";
import type { Table } from "./client.ts";
import { conditions, whenConditionHolds } from "./conditions.ts";
import { deliveryKey, deliveryPartition, failingFeed, justBelow, type Key, oldestUlid, timeToLive } from "./keys.ts";

/** A delivery and where the body of its event comes from. */
export interface DeliveryRow extends Delivery {
  readonly source: EventSource;
}

/** One event for one endpoint. */
export interface DeliveryOf {
  readonly endpointId: string;
  readonly eventUlid: string;
  readonly eventType: EventType;
  readonly source: EventSource;
}

export type Claim =
  | { readonly outcome: "claimed"; readonly row: DeliveryRow }
  /** Someone else's attempt runs until then. */
  | { readonly outcome: "leased"; readonly until: Millis }
  /** The worker that claimed this attempt died: its lease ran out. */
  | { readonly outcome: "abandoned"; readonly row: DeliveryRow }
  /** The row has moved on, and waits for a later attempt. */
  | { readonly outcome: "moved_on"; readonly row: DeliveryRow }
  | { readonly outcome: "gone" };

export type Deliveries = ReturnType<typeof deliveryStore>;

export function deliveryStore({ client, name: TableName }: Table) {
  return {
    /**
     * Writes a delivery's row for the first time, on the outcome of its first attempt.
     * @returns null when it was written, else the row that was there before
     */
    async recordFirst(
      tenant: TenantId,
      delivery: DeliveryOf,
      verdict: Verdict,
      outcome: AttemptOutcome | null,
      now: Millis,
    ): Promise<DeliveryRow | null> {
      const written = await whenConditionHolds(() =>
        client.send(
          new PutCommand({
            TableName,
            Item: {
              ...deliveryKey(tenant, delivery.endpointId, delivery.eventUlid),
              ty: delivery.eventType,
              c: delivery.source?.conversationId,
              p: delivery.source?.place,
              st: verdict.status,
              n: outcome === null || outcome.kind === "refused_by_gate" ? 0 : 1,
              ...tracesOf(outcome),
              na: verdict.status === "retrying" ? verdict.nextRetryAt : undefined,
              ua: now,
              x: timeToLive(now + RETENTION),
              ...failingIndex(tenant, delivery.endpointId, delivery.eventUlid, verdict.status),
            },
            ConditionExpression: conditions.notYetThere,
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        ),
      );
      return written.held || !written.old ? null : rowOf(written.old as unknown as DeliveryItem);
    },

    async get(tenant: TenantId, endpointId: string, eventUlid: string): Promise<DeliveryRow | null> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: deliveryKey(tenant, endpointId, eventUlid), ConsistentRead: true }),
      );
      return Item ? rowOf(Item as DeliveryItem) : null;
    },

    /** Takes attempt number `attempt` for this worker, for as long as the lease runs. */
    async claim(tenant: TenantId, endpointId: string, eventUlid: string, attempt: number, now: Millis): Promise<Claim> {
      const op = newUlid(now);
      const claimed = await whenConditionHolds(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: deliveryKey(tenant, endpointId, eventUlid),
            UpdateExpression: "SET st = :attempting, n = :n, lu = :lease, ua = :now, o = :op REMOVE na",
            ConditionExpression: "(st = :retrying OR st = :pending) AND n = :before",
            ExpressionAttributeValues: {
              ":attempting": "attempting",
              ":retrying": "retrying",
              ":pending": "pending",
              ":n": attempt,
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
      if (claimed.held) return { outcome: "claimed", row: rowOf(claimed.output.Attributes as DeliveryItem) };
      if (!claimed.old) return { outcome: "gone" };
      // The answer to our own write was lost and the SDK asked again: the claim is ours.
      if (claimed.old.o === op) return { outcome: "claimed", row: rowOf(claimed.old as unknown as DeliveryItem) };
      const row = rowOf(claimed.old as unknown as DeliveryItem);
      if (row.status !== "attempting") return { outcome: "moved_on", row };
      if (row.attempt !== attempt) return { outcome: "gone" };
      return row.leaseUntil !== null && row.leaseUntil > now
        ? { outcome: "leased", until: row.leaseUntil }
        : { outcome: "abandoned", row };
    },

    /** Writes what an attempt came to, if the attempt is still the row's. @returns false when it no longer is */
    async settle(
      tenant: TenantId,
      row: DeliveryRow,
      verdict: Verdict,
      outcome: AttemptOutcome | null,
      now: Millis,
    ): Promise<boolean> {
      const traces = tracesOf(outcome);
      const failing = verdict.status !== "delivered";
      const sets = ["st = :st", "ua = :now", "n = :n"];
      const removes = ["lu"];
      const values: Record<string, unknown> = {
        ":st": verdict.status,
        ":now": now,
        ":attempting": "attempting",
        ":attempt": row.attempt,
        // What the gate refuses was never attempted.
        ":n": verdict.status === "blocked" ? row.attempt - 1 : row.attempt,
      };
      const assign = (name: string, value: unknown) => {
        if (value === undefined) removes.push(name);
        else {
          sets.push(`${name} = :${name}`);
          values[`:${name}`] = value;
        }
      };
      assign("na", verdict.status === "retrying" ? verdict.nextRetryAt : undefined);
      assign("lr", traces.lr);
      assign("le", traces.le);
      assign("ld", traces.ld);
      assign("F", failing ? failingFeed(tenant, row.endpointId) : undefined);
      assign("G", failing ? row.eventUlid : undefined);
      const written = await whenConditionHolds(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: deliveryKey(tenant, row.endpointId, row.eventUlid),
            UpdateExpression: `SET ${sets.join(", ")} REMOVE ${removes.join(", ")}`,
            ConditionExpression: "st = :attempting AND n = :attempt",
            ExpressionAttributeValues: values,
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        ),
      );
      if (written.held) return true;
      // The answer to our own write was lost and the SDK asked again: what stands there is ours.
      return written.old?.st === verdict.status && written.old?.ua === now;
    },

    /** What a worker could not process is given up, unless the row has moved on since. */
    async giveUp(tenant: TenantId, endpointId: string, eventUlid: string, attempt: number, now: Millis): Promise<void> {
      await whenConditionHolds(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: deliveryKey(tenant, endpointId, eventUlid),
            UpdateExpression: "SET st = :dlq, ua = :now, F = :f, G = :g REMOVE na, lu",
            ConditionExpression: "st IN (:pending, :retrying, :attempting) AND n <= :attempt",
            ExpressionAttributeValues: {
              ":dlq": "dlq",
              ":pending": "pending",
              ":retrying": "retrying",
              ":attempting": "attempting",
              ":attempt": attempt,
              ":now": now,
              ":f": failingFeed(tenant, endpointId),
              ":g": eventUlid,
            },
          }),
        ),
      );
    },

    /** An endpoint's deliveries, newest event first. */
    async list(
      tenant: TenantId,
      query: { endpointId: string; before: string | null; limit: number; now: Millis },
    ): Promise<{ rows: DeliveryRow[]; next: string | null }> {
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: "PK = :d AND SK BETWEEN :from AND :upTo",
          ExpressionAttributeValues: {
            ":d": deliveryPartition(tenant, query.endpointId),
            ":from": oldestUlid(query.now),
            ":upTo": query.before === null ? "~" : justBelow(query.before),
          },
          ScanIndexForward: false,
          Limit: query.limit + 1,
        }),
      );
      const rows = (Items as DeliveryItem[]).slice(0, query.limit).map(rowOf);
      return { rows, next: Items.length > query.limit ? (rows.at(-1)?.eventUlid ?? null) : null };
    },
  };
}

interface DeliveryItem extends Key {
  readonly ty: EventType;
  readonly c?: string;
  readonly p?: string;
  readonly st: DeliveryStatus;
  readonly n: number;
  readonly na?: Millis;
  readonly lu?: Millis;
  readonly lr?: number;
  readonly le?: AttemptError;
  readonly ld?: number;
  readonly ua: Millis;
}

function tracesOf(outcome: AttemptOutcome | null) {
  return {
    lr: outcome?.kind === "answered" ? outcome.status : undefined,
    le: outcome ? (errorOf(outcome) ?? undefined) : undefined,
    ld: outcome && outcome.kind !== "refused_by_gate" ? outcome.durationMs : undefined,
  };
}

function failingIndex(tenant: TenantId, endpointId: string, eventUlid: string, status: DeliveryStatus) {
  return status === "delivered" ? {} : { F: failingFeed(tenant, endpointId), G: eventUlid };
}

function rowOf(item: DeliveryItem): DeliveryRow {
  return {
    endpointId: item.PK.split("#")[2] ?? "",
    eventUlid: item.SK,
    eventType: item.ty,
    source: item.c && item.p ? { conversationId: item.c, place: item.p } : null,
    status: item.st,
    attempt: item.n,
    nextRetryAt: item.na ?? null,
    leaseUntil: item.lu ?? null,
    lastResponseStatus: item.lr ?? null,
    lastError: item.le ?? null,
    lastDurationMs: item.ld ?? null,
    createdAt: timeOfUlid(item.SK),
    updatedAt: item.ua,
  };
}
