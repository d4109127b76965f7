import { BatchGetCommand, BatchWriteCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { Removed } from "../../domain/erasure/erasures.ts";
import { SEND_SETTLED_WITHIN } from "../../domain/sending/sends.ts";
import { isUlid, timeOfUlid } from "../../kernel/ids.ts";
import { eachOf } from "../../kernel/parallel.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import { MINUTE, type Millis } from "../../kernel/time.ts";
import type { Table } from "../client.ts";
import { apart, deliveryKey, dueSendKey, eventBodyKey, HEAD_SORT_KEY, type Key, timeOfPlace } from "../keys.ts";

export type Traces = ReturnType<typeof traceStore>;

/** One row of a conversation's partition, the head aside, and what lies elsewhere because of it. */
export interface Trace {
  readonly key: Key;
  /** What it counts as; null for one that is bookkeeping alone. */
  readonly counts: keyof Removed | null;
  /** The instant by which it belongs to this conversation or to the one before it was erased. */
  readonly at: Millis;
  /** The event that tells of it. */
  readonly event: { readonly ulid: string; readonly bodyApart: boolean } | null;
  readonly elsewhere: readonly { readonly counts: "holds" | "uploads" | null; readonly key: Key }[];
}

const PAGE = 100;
const GET_MAX = 100;
const WRITE_MAX = 25;
/** Requests under way at once: an erasure is never in such a hurry that others should feel it. */
const WIDTH = 4;
/** How often the table may put a part of a batch off, each time for twice as long: together about 6 seconds. */
const TRIES = 8;
const FIRST_WAIT_MS = 50;

/** Everything that tells of a person, wherever it lies, to be found and removed. */
export function traceStore({ client, name: TableName }: Table) {
  return {
    /**
     * The next rows of a conversation behind a place, read consistently.
     * @returns `last`: the last place that was looked at; null when there was nothing
     */
    async page(conversationId: string, behind: string): Promise<{ traces: Trace[]; last: string | null }> {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: "PK = :c AND SK > :behind",
          ExpressionAttributeValues: { ":c": conversationId, ":behind": behind },
          ProjectionExpression: "PK, SK, e, p, ca, #at",
          ExpressionAttributeNames: { "#at": "at" },
          ConsistentRead: true,
          Limit: PAGE,
        }),
      );
      const rows = (Items as TraceItem[]).filter(({ SK }) => SK !== HEAD_SORT_KEY);
      const last = (LastEvaluatedKey?.SK as string | undefined) ?? rows.at(-1)?.SK ?? null;
      return { traces: rows.map(traceOf), last: last === HEAD_SORT_KEY ? (rows.at(-1)?.SK ?? null) : last };
    },

    /** The keys of all deliveries that events could have. */
    deliveryKeys(tenant: TenantId, endpointIds: readonly string[], ulids: readonly string[]): Key[] {
      return endpointIds.flatMap((endpointId) => ulids.map((ulid) => deliveryKey(tenant, endpointId, ulid)));
    },

    bodyKeys(tenant: TenantId, ulids: readonly string[]): Key[] {
      return ulids.map((ulid) => eventBodyKey(tenant, ulid));
    },

    /** Those of the keys under which something lies, read consistently. */
    async there(keys: readonly Key[]): Promise<Key[]> {
      const found: Key[] = [];
      await eachOf(chunks(distinct(keys), GET_MAX), WIDTH, async (some) => {
        let Keys: Key[] = some;
        for (let tries = 1; Keys.length > 0; tries++) {
          const { Responses, UnprocessedKeys } = await client.send(
            new BatchGetCommand({
              RequestItems: { [TableName]: { Keys, ConsistentRead: true, ProjectionExpression: "PK, SK" } },
            }),
          );
          found.push(...((Responses?.[TableName] ?? []) as Key[]));
          Keys = (UnprocessedKeys?.[TableName]?.Keys ?? []) as Key[];
          if (Keys.length > 0) await beforeAnother(tries);
        }
      });
      return found;
    },

    /** Removes whatever lies under the keys. Safe to repeat. */
    async remove(keys: readonly Key[]): Promise<void> {
      await eachOf(chunks(distinct(keys), WRITE_MAX), WIDTH, async (some) => {
        let requests: object[] = some.map((Key) => ({ DeleteRequest: { Key } }));
        for (let tries = 1; requests.length > 0; tries++) {
          const { UnprocessedItems } = await client.send(
            new BatchWriteCommand({ RequestItems: { [TableName]: requests } }),
          );
          requests = UnprocessedItems?.[TableName] ?? [];
          if (requests.length > 0) await beforeAnother(tries);
        }
      });
    },
  };
}

/** The table takes as much of a batch as it can: what it put off is asked for again, later each time. */
async function beforeAnother(tries: number): Promise<void> {
  if (tries === TRIES) throw new Error("The table put a part of a batch off too often.");
  await new Promise((resolve) => setTimeout(resolve, FIRST_WAIT_MS * 2 ** (tries - 1)));
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

type KindOfRow = (tail: string, item: TraceItem) => Omit<Trace, "key">;

const plain = { counts: "markers", event: null, elsewhere: [] } as const;

/** A change that came before its message tells when it was noted, which may be so much later than when it happened. */
const CHANGE_LATE_MAX: Millis = MINUTE;

/** What each kind of row is, by the first letter of its sort key. One that tells no time is as old as can be. */
const kinds: Readonly<Record<string, KindOfRow>> = {
  M: (tail, { e }) => ({
    counts: "messages",
    at: timeOfPlace(tail),
    event: e ? { ulid: e, bodyApart: false } : null,
    elsewhere: [],
  }),
  // Its message's event once more: the message itself may be gone, unsent.
  K: (_tail, { e, p }) => ({ ...plain, at: p ? timeOfPlace(p) : 0, event: e ? { ulid: e, bodyApart: false } : null }),
  C: (_tail, { ca = 0 }) => ({ ...plain, at: ca - CHANGE_LATE_MAX }),
  E: (_tail, { e, at = 0 }) => ({ ...plain, at, event: e ? { ulid: e, bodyApart: true } : null }),
  J: (tail, { ca = 0 }) => ({
    ...plain,
    counts: "sendRecords",
    at: isUlid(tail) ? timeOfUlid(tail) : 0,
    elsewhere: [{ counts: null, key: dueSendKey(ca + SEND_SETTLED_WITHIN, tail) }],
  }),
  B: (_tail, { at = 0 }) => ({ ...plain, counts: null, at }),
  A: (tail, { at = 0 }) => ({ counts: null, at, event: null, elsewhere: apartOf(tail) }),
};

function traceOf(item: TraceItem): Trace {
  const [letter = "", tail = ""] = [item.SK.slice(0, 1), item.SK.slice(2)];
  const kind = kinds[letter] ?? ((_tail, { at = 0 }) => ({ ...plain, at }));
  return { key: { PK: item.PK, SK: item.SK }, ...kind(tail, item) };
}

function apartOf(tail: string): Trace["elsewhere"] {
  const [kind = "", id = ""] = tail.split("#");
  if (kind === "hold") return [{ counts: "holds", key: apart.hold(id) }];
  return kind === "upload" ? [{ counts: "uploads", key: apart.upload(id) }] : [];
}

function distinct(keys: readonly Key[]): Key[] {
  return [...new Map(keys.map((key) => [`${key.PK} ${key.SK}`, key])).values()];
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}
