import { QueryCommand, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import { table as names } from "../../config/names.ts";
import { type DeliveryStatus, isWaiting } from "../../domain/delivery/deliveries.ts";
import { RETENTION, WALK_EXAMINED_MAX } from "../../domain/limits.ts";
import { ulidCeiling, ulidFloor } from "../../kernel/ids.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import { DAY, type Millis } from "../../kernel/time.ts";
import { batchGet } from "../batch-get.ts";
import type { Table } from "../client.ts";
import { deliveryPartition, failingFeed, justBelow, type Key, oldestUlid } from "../keys.ts";
import { type DeliveryItem, type DeliveryRow, rowOf } from "./delivery-items.ts";

/** Entries that one request of a walk looks at, at least: most of them may be done with. */
const WALK_PAGE_MIN = 200;

/** A row's entry in the index of what has not come through. One whose attempt is under way stands as it was before. */
type Entry = Key & Pick<DeliveryItem, "st">;

/** The lists of an endpoint's deliveries. */
export function deliveryPages(table: Table) {
  const { client, name: TableName } = table;
  /** What a query finds, until there are `wanted` of it or no more. */
  async function query<Item>(input: Omit<QueryCommandInput, "TableName">, wanted: number): Promise<Item[]> {
    const found: Item[] = [];
    let ExclusiveStartKey: Record<string, unknown> | undefined;
    do {
      const answer = await client.send(
        new QueryCommand({ TableName, ...input, Limit: wanted - found.length, ExclusiveStartKey }),
      );
      found.push(...((answer.Items ?? []) as Item[]));
      ExclusiveStartKey = answer.LastEvaluatedKey;
    } while (ExclusiveStartKey && found.length < wanted);
    return found;
  }

  const all = (tenant: TenantId, endpointId: string, from: string, upTo: string) => ({
    KeyConditionExpression: "PK = :d AND SK BETWEEN :from AND :upTo",
    ExpressionAttributeValues: { ":d": deliveryPartition(tenant, endpointId), ":from": from, ":upTo": upTo },
  });
  const failing = (tenant: TenantId, endpointId: string, from: string, upTo: string) => ({
    IndexName: names.failingIndex.name,
    KeyConditionExpression: "W = :w AND SK BETWEEN :from AND :upTo",
    ExpressionAttributeValues: { ":w": failingFeed(tenant, endpointId), ":from": from, ":upTo": upTo },
  });
  const rowsAt = async (entries: readonly Entry[]): Promise<DeliveryRow[]> =>
    (
      await batchGet<DeliveryItem>(
        table,
        entries.map(({ PK, SK }) => ({ PK, SK })),
      )
    ).map(rowOf);

  return {
    /** An endpoint's deliveries, newest event first. */
    async list(
      tenant: TenantId,
      { endpointId, before, limit, now }: { endpointId: string; before: string | null; limit: number; now: Millis },
    ): Promise<{ rows: DeliveryRow[]; next: string | null }> {
      const from = oldestUlid(now);
      const upTo = before === null ? "~" : justBelow(before);
      if (from > upTo) return { rows: [], next: null };
      const input = { ...all(tenant, endpointId, from, upTo), ScanIndexForward: false };
      const found = (await query<DeliveryItem>(input, limit + 1)).map(rowOf);
      const rows = found.slice(0, limit);
      return { rows, next: found.length > limit ? (rows.at(-1)?.eventUlid ?? null) : null };
    },

    /**
     * The deliveries since an instant that have not come through, newest event first.
     * @param examinedMax entries that are read at most
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
      const input = { ...failing(tenant, wanted.endpointId, from, "~"), ScanIndexForward: false };
      const found = await query<Entry>(input, wanted.examinedMax + 1);
      const asked = found.slice(0, wanted.examinedMax).filter(({ st }) => wanted.statuses.includes(st));
      return {
        // What is under way, or has come through since, is none of them.
        rows: (await rowsAt(asked)).filter(({ status }) => wanted.statuses.includes(status)),
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
      const input = failing(tenant, endpointId, from, "~");
      const rows: DeliveryRow[] = [];
      let examined = 0;
      let ExclusiveStartKey: Record<string, unknown> | undefined;
      do {
        const answer = await client.send(
          new QueryCommand({
            TableName,
            ...input,
            FilterExpression: "st IN (:pending, :retrying)",
            ExpressionAttributeValues: {
              ...input.ExpressionAttributeValues,
              ":pending": "pending",
              ":retrying": "retrying",
            },
            Limit: Math.min(Math.max(2 * wanted, WALK_PAGE_MIN), WALK_EXAMINED_MAX - examined),
            ExclusiveStartKey,
          }),
        );
        examined += answer.ScannedCount ?? 0;
        const entries = (answer.Items ?? []) as Entry[];
        while (entries.length > 0) {
          const some = entries.splice(0, wanted - rows.length);
          rows.push(...(await rowsAt(some)).filter((row) => isWaiting(row, now)));
          if (rows.length === wanted) return { rows, next: some.at(-1)?.SK ?? null };
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
      const { endpointId, limit } = window;
      const start = ulidFloor(Math.max(window.from, window.now - RETENTION + 1));
      const end = ulidCeiling(window.to);
      const from = window.after === null ? start : `${window.after}~`;
      if (from > end) return { rows: [], next: null };
      const found = window.delivered
        ? await query<DeliveryItem>(all(tenant, endpointId, from, end), limit + 1)
        : await query<Entry>(failing(tenant, endpointId, from, end), limit + 1);
      const page = found.slice(0, limit);
      return {
        rows: window.delivered ? (page as DeliveryItem[]).map(rowOf) : await rowsAt(page),
        next: found.length > limit ? (page.at(-1)?.SK ?? null) : null,
      };
    },
  };
}
