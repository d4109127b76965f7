import { BatchGetCommand, BatchWriteCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { RemovalCounts } from "../../domain/erasure/erasures.ts";
import { SEND_SETTLE_DEADLINE } from "../../domain/sending/sends.ts";
import { isUlid, ulidTime } from "../../kernel/ids.ts";
import { forEachConcurrent } from "../../kernel/parallel.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import { MINUTE, type Millis } from "../../kernel/time.ts";
import type { Table } from "../client.ts";
import { deliveryKey, dueSendKey, eventBodyKey, HEAD_SORT_KEY, type Key, positionTime, relatedKeys } from "../keys.ts";

export type Traces = ReturnType<typeof traceStore>;

/** One row of a conversation's partition, the head aside, and what lies elsewhere because of it. */
export interface Trace {
  readonly key: Key;
  /** What it counts as; null for one that is bookkeeping alone. */
  readonly counts: keyof RemovalCounts | null;
  /** The instant by which it belongs to this conversation or to the one before it was erased. */
  readonly at: Millis;
  /** The event that tells of it. */
  readonly event: { readonly ulid: string; readonly hasStoredBody: boolean } | null;
  readonly relatedItems: readonly { readonly counts: "holds" | "uploads" | null; readonly key: Key }[];
}

const PAGE_SIZE = 100;
const GET_MAX = 100;
const WRITE_MAX = 25;
/** Requests under way at once: an erasure is never in such a hurry that others should feel it. */
const CONCURRENCY = 4;
/** How often the table may put a part of a batch off, each time for twice as long: together about 6 seconds. */
const ATTEMPTS_MAX = 8;
const FIRST_DELAY_MS = 50;

/** Everything that tells of a person, wherever it lies, to be found and removed. */
export function traceStore({ client, name: TableName }: Table) {
  return {
    /**
     * The next rows of a conversation behind a place, read consistently.
     * @returns `last`: the last place that was looked at; null when there was nothing
     */
    async page(conversationId: string, after: string): Promise<{ traces: Trace[]; last: string | null }> {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: "PK = :c AND SK > :behind",
          ExpressionAttributeValues: { ":c": conversationId, ":behind": after },
          ProjectionExpression: "PK, SK, e, p, ca, #at",
          ExpressionAttributeNames: { "#at": "at" },
          ConsistentRead: true,
          Limit: PAGE_SIZE,
        }),
      );
      const rows = (Items as TraceItem[]).filter(({ SK }) => SK !== HEAD_SORT_KEY);
      const last = (LastEvaluatedKey?.SK as string | undefined) ?? rows.at(-1)?.SK ?? null;
      return { traces: rows.map(toTrace), last: last === HEAD_SORT_KEY ? (rows.at(-1)?.SK ?? null) : last };
    },

    /** The keys of all deliveries that events could have. */
    deliveryKeys(tenant: TenantId, endpointIds: readonly string[], ulids: readonly string[]): Key[] {
      return endpointIds.flatMap((endpointId) => ulids.map((ulid) => deliveryKey(tenant, endpointId, ulid)));
    },

    bodyKeys(tenant: TenantId, ulids: readonly string[]): Key[] {
      return ulids.map((ulid) => eventBodyKey(tenant, ulid));
    },

    /** Those of the keys under which something lies, read consistently. */
    async filterExisting(keys: readonly Key[]): Promise<Key[]> {
      const existingKeys: Key[] = [];
      await forEachConcurrent(chunks(distinct(keys), GET_MAX), CONCURRENCY, async (batch) => {
        let Keys: Key[] = batch;
        for (let attempt = 1; Keys.length > 0; attempt++) {
          const { Responses, UnprocessedKeys } = await client.send(
            new BatchGetCommand({
              RequestItems: { [TableName]: { Keys, ConsistentRead: true, ProjectionExpression: "PK, SK" } },
            }),
          );
          existingKeys.push(...((Responses?.[TableName] ?? []) as Key[]));
          Keys = (UnprocessedKeys?.[TableName]?.Keys ?? []) as Key[];
          if (Keys.length > 0) await backoff(attempt);
        }
      });
      return existingKeys;
    },

    /** Removes whatever lies under the keys. Safe to repeat. */
    async remove(keys: readonly Key[]): Promise<void> {
      await forEachConcurrent(chunks(distinct(keys), WRITE_MAX), CONCURRENCY, async (batch) => {
        let requests: object[] = batch.map((Key) => ({ DeleteRequest: { Key } }));
        for (let attempt = 1; requests.length > 0; attempt++) {
          const { UnprocessedItems } = await client.send(
            new BatchWriteCommand({ RequestItems: { [TableName]: requests } }),
          );
          requests = UnprocessedItems?.[TableName] ?? [];
          if (requests.length > 0) await backoff(attempt);
        }
      });
    },
  };
}

/** The table takes as much of a batch as it can: what it put off is asked for again, later each time. */
async function backoff(attempt: number): Promise<void> {
  if (attempt === ATTEMPTS_MAX) throw new Error("The table put a part of a batch off too often.");
  await new Promise((resolve) => setTimeout(resolve, FIRST_DELAY_MS * 2 ** (attempt - 1)));
}

interface TraceItem extends Key {
  /** The event of a message, or that an event's ref names. */
  readonly e?: string;
  /** The place of the message that a marker marks. */
  readonly p?: string;
  readonly at?: Millis;
  /** When an early change was noted, or a send begun. */
  readonly ca?: Millis;
}

type RowKind = (tail: string, item: TraceItem) => Omit<Trace, "key">;

const markerTrace = { counts: "markers", event: null, relatedItems: [] } as const;

/** A change that came before its message tells when it was noted, which may be so much later than when it happened. */
const CHANGE_LATE_MAX: Millis = MINUTE;

/** What each kind of row is, by the first letter of its sort key. One that tells no time is as old as can be. */
const rowKinds: Readonly<Record<string, RowKind>> = {
  M: (tail, { e }) => ({
    counts: "messages",
    at: positionTime(tail),
    event: e ? { ulid: e, hasStoredBody: false } : null,
    relatedItems: [],
  }),
  // Its message's event once more: the message itself may be gone, unsent.
  K: (_tail, { e, p }) => ({
    ...markerTrace,
    at: p ? positionTime(p) : 0,
    event: e ? { ulid: e, hasStoredBody: false } : null,
  }),
  C: (_tail, { ca = 0 }) => ({ ...markerTrace, at: ca - CHANGE_LATE_MAX }),
  E: (_tail, { e, at = 0 }) => ({ ...markerTrace, at, event: e ? { ulid: e, hasStoredBody: true } : null }),
  J: (tail, { ca = 0 }) => ({
    ...markerTrace,
    counts: "sendRecords",
    at: isUlid(tail) ? ulidTime(tail) : 0,
    relatedItems: [{ counts: null, key: dueSendKey(ca + SEND_SETTLE_DEADLINE, tail) }],
  }),
  B: (_tail, { at = 0 }) => ({ ...markerTrace, counts: null, at }),
  A: (tail, { at = 0 }) => ({ counts: null, at, event: null, relatedItems: toRelatedItems(tail) }),
};

function toTrace(item: TraceItem): Trace {
  const [letter = "", tail = ""] = [item.SK.slice(0, 1), item.SK.slice(2)];
  const kind = rowKinds[letter] ?? ((_tail, { at = 0 }) => ({ ...markerTrace, at }));
  return { key: { PK: item.PK, SK: item.SK }, ...kind(tail, item) };
}

function toRelatedItems(tail: string): Trace["relatedItems"] {
  const [kind = "", id = ""] = tail.split("#");
  if (kind === "hold") return [{ counts: "holds", key: relatedKeys.hold(id) }];
  return kind === "upload" ? [{ counts: "uploads", key: relatedKeys.upload(id) }] : [];
}

function distinct(keys: readonly Key[]): Key[] {
  return [...new Map(keys.map((key) => [`${key.PK} ${key.SK}`, key])).values()];
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}
