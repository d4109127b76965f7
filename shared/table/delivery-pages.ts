import { QueryCommand, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import { table as names } from "../config/names.ts";
import { type DeliveryStatus, isWaiting } from "../domain/deliveries.ts";
import { RETENTION, WALK_EXAMINED_MAX } from "../domain/limits.ts";
import { ulidCeiling, ulidFloor } from "../kernel/ids.ts";
import type { TenantId } from "../kernel/tenant.ts";
import { DAY, type Millis } from "../kernel/time.ts";
import type { Table } from "./client.ts";
import { type DeliveryItem, type DeliveryRow, rowOf } from "./delivery-items.ts";
import { deliveryPartition, failingFeed, justBelow, oldestUlid } from "./keys.ts";

/** Rows that one request of a walk looks at, at least: most of them may be done with. */
const WALK_PAGE_MIN = 200;

/** The lists of an endpoint's deliveries. */
export function deliveryPages({ client, name: TableName }: Table) {
  /** Rows in the order asked for, until there are `wanted` of them or no more. */
  async function query(input: Omit<QueryCommandInput, "TableName">, wanted: number): Promise<DeliveryRow[]> {
    const rows: DeliveryRow[] = [];
    let ExclusiveStartKey: Record<string, unknown> | undefined;
    do {
      const answer = await client.send(
        new QueryCommand({ TableName, ...input, Limit: wanted - rows.length, ExclusiveStartKey }),
      );
      rows.push(...((answer.Items ?? []) as DeliveryItem[]).map(rowOf));
      ExclusiveStartKey = answer.LastEvaluatedKey;
    } while (ExclusiveStartKey && rows.length < wanted);
    return rows;
  }

  /** Whether a row of any of these statuses is to be found among those that have not come through. */
  const range = (tenant: TenantId, endpointId: string, failing: boolean, from: string, upTo: string) => ({
    ...(failing ? { IndexName: names.feedIndex.name } : {}),
    KeyConditionExpression: failing ? "F = :d AND G BETWEEN :from AND :upTo" : "PK = :d AND SK BETWEEN :from AND :upTo",
    ExpressionAttributeValues: {
      ":d": failing ? failingFeed(tenant, endpointId) : deliveryPartition(tenant, endpointId),
      ":from": from,
      ":upTo": upTo,
    },
  });

  return {
    /** An endpoint's deliveries, newest event first. */
    async list(
      tenant: TenantId,
      { endpointId, before, limit, now }: { endpointId: string; before: string | null; limit: number; now: Millis },
    ): Promise<{ rows: DeliveryRow[]; next: string | null }> {
      const upTo = before === null ? "~" : justBelow(before);
      const input = { ...range(tenant, endpointId, false, oldestUlid(now), upTo), ScanIndexForward: false };
      const found = await query(input, limit + 1);
      const rows = found.slice(0, limit);
      return { rows, next: found.length > limit ? (rows.at(-1)?.eventUlid ?? null) : null };
    },

    /**
     * The deliveries since an instant that have not come through, newest event first.
     * @param examinedMax rows that are read at most
     * @returns `truncated` when there are more of them than were read
     */
    async failing(
      tenant: TenantId,
      wanted: {
        endpointId: string;
        statuses: readonly DeliveryStatus[];
        since: Millis;
        examinedMax: number;
        now: Millis;
      },
    ): Promise<{ rows: DeliveryRow[]; truncated: boolean }> {
      const from = ulidFloor(Math.max(wanted.since, wanted.now - RETENTION + 1));
      const input = { ...range(tenant, wanted.endpointId, true, from, "~"), ScanIndexForward: false };
      const found = await query(input, wanted.examinedMax + 1);
      const examined = found.slice(0, wanted.examinedMax);
      return {
        rows: examined.filter(({ status }) => wanted.statuses.includes(status)),
        truncated: found.length > wanted.examinedMax,
      };
    },

    /**
     * The deliveries that wait for an attempt without anything that is sure to make it, oldest event first. A day longer
     * ago than bodies are kept, too, so that those which outlived theirs are found.
     * @param after the last event's ULID of the step before
     * @param wanted rows that are answered at most
     * @returns `next` null once the last of them was looked at
     */
    async waiting(
      tenant: TenantId,
      { endpointId, after, wanted, now }: { endpointId: string; after: string | null; wanted: number; now: Millis },
    ): Promise<{ rows: DeliveryRow[]; next: string | null }> {
      const from = after === null ? ulidFloor(now - RETENTION - DAY) : `${after}~`;
      const input = range(tenant, endpointId, true, from, "~");
      const rows: DeliveryRow[] = [];
      let examined = 0;
      let ExclusiveStartKey: Record<string, unknown> | undefined;
      do {
        const answer = await client.send(
          new QueryCommand({
            TableName,
            ...input,
            FilterExpression: "st IN (:pending, :retrying, :attempting)",
            ExpressionAttributeValues: {
              ...input.ExpressionAttributeValues,
              ":pending": "pending",
              ":retrying": "retrying",
              ":attempting": "attempting",
            },
            Limit: Math.min(Math.max(2 * wanted, WALK_PAGE_MIN), WALK_EXAMINED_MAX - examined),
            ExclusiveStartKey,
          }),
        );
        examined += answer.ScannedCount ?? 0;
        for (const row of ((answer.Items ?? []) as DeliveryItem[]).map(rowOf)) {
          if (!isWaiting(row, now)) continue;
          rows.push(row);
          if (rows.length === wanted) return { rows, next: row.eventUlid };
        }
        ExclusiveStartKey = answer.LastEvaluatedKey;
      } while (ExclusiveStartKey && examined < WALK_EXAMINED_MAX);
      return { rows, next: (ExclusiveStartKey?.SK as string | undefined) ?? null };
    },

    /**
     * The deliveries whose events came within [from, to], oldest event first, whatever their status.
     * @param delivered also those that came through: they are in no index
     * @param after the last event's ULID of the page before
     */
    async ofWindow(
      tenant: TenantId,
      window: {
        endpointId: string;
        from: Millis;
        to: Millis;
        delivered: boolean;
        after: string | null;
        limit: number;
        now: Millis;
      },
    ): Promise<{ rows: DeliveryRow[]; next: string | null }> {
      const start = ulidFloor(Math.max(window.from, window.now - RETENTION + 1));
      const end = ulidCeiling(window.to);
      const from = window.after === null ? start : `${window.after}~`;
      if (from > end) return { rows: [], next: null };
      const found = await query(range(tenant, window.endpointId, !window.delivered, from, end), window.limit + 1);
      const rows = found.slice(0, window.limit);
      return { rows, next: found.length > window.limit ? (rows.at(-1)?.eventUlid ?? null) : null };
    },
  };
}
