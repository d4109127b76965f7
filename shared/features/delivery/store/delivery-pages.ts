import { QueryCommand, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import { table as names } from "#base/config/names.ts";
import { ulidCeiling, ulidFloor } from "#base/kernel/ids.ts";
import { RETENTION, WALK_EXAMINED_MAX } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, type Millis } from "#base/kernel/time.ts";
import { batchGet } from "#base/table/batches.ts";
import type { Table } from "#base/table/client.ts";
import { justBelow, type Key, oldestUlid } from "#base/table/keys.ts";
import { type DeliveryStatus, isWaiting } from "../rules/deliveries.ts";
import { type DeliveryFilter, matchesFilter, mayHaveStatus, NO_FILTER } from "../rules/delivery-filter.ts";
import { deliveryAttributes as A } from "./attributes.ts";
import {
  type DeliveryItem,
  type DeliveryRow,
  deliveryPartition,
  toDeliveryRow,
  undeliveredPartition,
} from "./items.ts";

/** Entries that one request of a walk reads at least, because most of them may be skipped. */
const WALK_PAGE_MIN = 200;

/** A row's entry in the index of undelivered events. During an attempt it keeps the status from before. */
type UndeliveredEntry = Key & Pick<DeliveryItem, typeof A.status>;

/** What a filtered page of a list examines at most. */
const EXAMINED_MAX = 200;

interface DeliveryQuery {
  readonly endpointId: string;
  readonly before: string | null;
  readonly limit: number;
  readonly now: Millis;
  readonly filter?: DeliveryFilter;
}

interface DeliveryPage {
  readonly rows: DeliveryRow[];
  readonly next: string | null;
}

/** The lists of an endpoint's deliveries. */
export function deliveryPages(table: Table) {
  const { client, name: TableName } = table;
  /** The first `limit` items of a query. */
  async function query<Item>(input: Omit<QueryCommandInput, "TableName">, limit: number): Promise<Item[]> {
    const items: Item[] = [];
    let ExclusiveStartKey: Record<string, unknown> | undefined;
    do {
      const response = await client.send(
        new QueryCommand({ TableName, ...input, Limit: limit - items.length, ExclusiveStartKey }),
      );
      items.push(...((response.Items ?? []) as Item[]));
      ExclusiveStartKey = response.LastEvaluatedKey;
    } while (ExclusiveStartKey && items.length < limit);
    return items;
  }

  const allQuery = (tenant: TenantId, endpointId: string, from: string, upTo: string) => ({
    KeyConditionExpression: "PK = :d AND SK BETWEEN :from AND :upTo",
    ExpressionAttributeValues: { ":d": deliveryPartition(tenant, endpointId), ":from": from, ":upTo": upTo },
  });
  const undeliveredQuery = (tenant: TenantId, endpointId: string, from: string, upTo: string) => ({
    IndexName: names.failingIndex.name,
    KeyConditionExpression: `${A.undeliveredIndex} = :w AND SK BETWEEN :from AND :upTo`,
    ExpressionAttributeValues: { ":w": undeliveredPartition(tenant, endpointId), ":from": from, ":upTo": upTo },
  });
  const readRows = async (entries: readonly UndeliveredEntry[]): Promise<DeliveryRow[]> =>
    (
      await batchGet<DeliveryItem>(
        table,
        entries.map(({ PK, SK }) => ({ PK, SK })),
      )
    ).map(toDeliveryRow);

  return {
    /**
     * An endpoint's deliveries, newest event first. With statuses or types a page examines at most 200 deliveries, or 200
     * undelivered ones, and may be short or empty although there are more.
     * @param query.before the ULID of the last event of the previous page
     */
    async list(tenant: TenantId, listQuery: DeliveryQuery): Promise<DeliveryPage> {
      const { endpointId, before, limit, now, filter = NO_FILTER } = listQuery;
      const { statuses, eventTypes } = filter;
      const from = later(oldestUlid(now), filter.from === null ? "" : ulidFloor(filter.from));
      const upTo = earlier(
        before === null ? "~" : justBelow(before),
        filter.to === null ? "~" : ulidCeiling(filter.to),
      );
      if (from > upTo) return { rows: [], next: null };
      const descending = { ScanIndexForward: false };
      if (statuses && !statuses.includes("delivered")) {
        const input = { ...undeliveredQuery(tenant, endpointId, from, upTo), ...descending };
        const entries = await query<UndeliveredEntry>(input, EXAMINED_MAX + 1);
        const examined = entries.slice(0, EXAMINED_MAX);
        const candidates = examined.filter((entry) => mayHaveStatus(statuses, entry[A.status]));
        const page = candidates.slice(0, limit);
        // The row may have changed since its index entry.
        const rows = (await readRows(page)).filter((row) => matchesFilter(filter, row));
        if (candidates.length > limit) return { rows, next: page.at(-1)?.SK ?? null };
        return { rows, next: entries.length > EXAMINED_MAX ? (examined.at(-1)?.SK ?? null) : null };
      }
      const examinedMax = statuses || eventTypes ? EXAMINED_MAX : limit;
      const input = { ...allQuery(tenant, endpointId, from, upTo), ...descending };
      const rowsRead = (await query<DeliveryItem>(input, examinedMax + 1)).map(toDeliveryRow);
      const examined = rowsRead.slice(0, examinedMax);
      const matching = examined.filter((row) => matchesFilter(filter, row));
      const rows = matching.slice(0, limit);
      if (matching.length > limit) return { rows, next: rows.at(-1)?.eventUlid ?? null };
      return { rows, next: rowsRead.length > examinedMax ? (examined.at(-1)?.eventUlid ?? null) : null };
    },

    /**
     * The undelivered events since an instant, newest first.
     * @param filter.examinedMax the entries read at most
     * @returns `truncated`: there are more entries than were read
     */
    async listUndelivered(
      tenant: TenantId,
      filter: {
        endpointId: string;
        statuses: readonly DeliveryStatus[];
        since: Millis;
        examinedMax: number;
        now: Millis;
      },
    ): Promise<{ rows: DeliveryRow[]; truncated: boolean }> {
      const from = ulidFloor(Math.max(filter.since, filter.now - RETENTION + 1));
      const input = { ...undeliveredQuery(tenant, filter.endpointId, from, "~"), ScanIndexForward: false };
      const entries = await query<UndeliveredEntry>(input, filter.examinedMax + 1);
      const matchingEntries = entries
        .slice(0, filter.examinedMax)
        .filter((entry) => filter.statuses.includes(entry[A.status]));
      return {
        // The row may have changed since its index entry.
        rows: (await readRows(matchingEntries)).filter(({ status }) => filter.statuses.includes(status)),
        truncated: entries.length > filter.examinedMax,
      };
    },

    /**
     * The deliveries that wait for their endpoint, oldest event first. Starts a day before the retention of bodies, to
     * find deliveries that outlived their body.
     * @param after the ULID of the last event of the previous page
     * @param wanted the rows returned at most
     * @returns `next`: null when the last of them was read
     */
    async listWaiting(
      tenant: TenantId,
      {
        endpointId,
        after,
        wanted: limit,
        now,
      }: { endpointId: string; after: string | null; wanted: number; now: Millis },
    ): Promise<{ rows: DeliveryRow[]; next: string | null }> {
      const from = after === null ? ulidFloor(now - RETENTION - DAY) : `${after}~`;
      const input = undeliveredQuery(tenant, endpointId, from, "~");
      const rows: DeliveryRow[] = [];
      let examinedCount = 0;
      let ExclusiveStartKey: Record<string, unknown> | undefined;
      do {
        const response = await client.send(
          new QueryCommand({
            TableName,
            ...input,
            FilterExpression: `${A.status} IN (:pending, :retrying)`,
            ExpressionAttributeValues: {
              ...input.ExpressionAttributeValues,
              ":pending": "pending",
              ":retrying": "retrying",
            },
            Limit: Math.min(Math.max(2 * limit, WALK_PAGE_MIN), WALK_EXAMINED_MAX - examinedCount),
            ExclusiveStartKey,
          }),
        );
        examinedCount += response.ScannedCount ?? 0;
        const entries = (response.Items ?? []) as UndeliveredEntry[];
        while (entries.length > 0) {
          const batch = entries.splice(0, limit - rows.length);
          rows.push(...(await readRows(batch)).filter((row) => isWaiting(row, now)));
          if (rows.length === limit) return { rows, next: batch.at(-1)?.SK ?? null };
        }
        ExclusiveStartKey = response.LastEvaluatedKey;
      } while (ExclusiveStartKey && examinedCount < WALK_EXAMINED_MAX);
      return { rows, next: (ExclusiveStartKey?.SK as string | undefined) ?? null };
    },

    /**
     * The deliveries of events within [from, to], oldest event first.
     * @param window.delivered include delivered ones, which no index has
     * @param window.after the ULID of the last event of the previous page
     */
    async listWindow(
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
      const items = window.delivered
        ? await query<DeliveryItem>(allQuery(tenant, endpointId, from, end), limit + 1)
        : await query<UndeliveredEntry>(undeliveredQuery(tenant, endpointId, from, end), limit + 1);
      const page = items.slice(0, limit);
      return {
        rows: window.delivered ? (page as DeliveryItem[]).map(toDeliveryRow) : await readRows(page),
        next: items.length > limit ? (page.at(-1)?.SK ?? null) : null,
      };
    },
  };
}

const later = (a: string, b: string) => (a > b ? a : b);
const earlier = (a: string, b: string) => (a < b ? a : b);
