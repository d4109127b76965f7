import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { isUlid, newUlid, ulidTime } from "#base/kernel/ids.ts";
import { ERASURE_MARKER_TTL } from "#base/kernel/limits.ts";
import { forEachConcurrent } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import { batchGet, batchRemove } from "#base/table/batches.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { itemExists } from "#base/table/expressions.ts";
import { type Key, positionTime, timeToLive } from "#base/table/keys.ts";
import { assign, put, remove, sendWrite, update } from "#base/table/writes.ts";
import { eventRefAttributes as Ref } from "#features/delivery/store/attributes.ts";
import { deliveryKey, eventBodyKey } from "#features/delivery/store/items.ts";
import {
  pendingChangeAttributes as Change,
  markerAttributes as Marker,
  messageAttributes as Message,
} from "#features/inbox/store/attributes.ts";
import { HEAD_SORT_KEY } from "#features/inbox/store/items.ts";
import { SEND_SETTLE_DEADLINE } from "#features/sending/rules/sends.ts";
import { budgetAttributes as Budget, sendRecordAttributes as Send } from "#features/sending/store/attributes.ts";
import { dueSendKey } from "#features/sending/store/items.ts";
import { deriveErasureId, eventMark, type RemovalCounts } from "../rules/erasures.ts";
import { erasedEventsAttributes as A, relatedRefAttributes as Related } from "./attributes.ts";
import { type Erasure, erasedEventsKey, erasureKey, relatedKeys } from "./items.ts";

/** Removed events whose deliveries the next pass removes again: an attempt in progress may have written its row since. */
export interface ErasedEvents {
  readonly key: Key;
  readonly ulids: readonly string[];
  /** Those among `ulids` that have a stored body. */
  readonly bodies: readonly string[];
}

/** Rows rewritten at once. */
const CONCURRENCY = 4;

/**
 * What erasures store of the events they removed: ULIDs until the next pass, then marks, by which the messages are
 * recognized as long as the erasure's marker exists. A message that is dropped because of the erasure has a mark too.
 * Neither identifies a person.
 */
export function erasedEvents(table: Table) {
  const { client, name: TableName } = table;
  return {
    /** Saves events of an erased conversation for its next pass. */
    async saveEvents(
      erasure: { id: string; erasedAt: Millis },
      events: { ulids: readonly string[]; bodies: readonly string[] },
    ): Promise<void> {
      const item = eventsItem(erasure, events);
      if (item) await sendWrite(table, put(item));
    },

    /**
     * Saves the mark of a message that is dropped because it is from before the erasure. Safe to repeat: a message has
     * one mark in an erasure.
     */
    async saveMark({ id, erasedAt }: { id: string; erasedAt: Millis }, eventUlid: string): Promise<void> {
      const mark = eventMark(eventUlid);
      const item = { ...erasedEventsKey(id, erasedAt, mark), [A.marks]: [mark], [A.ttl]: markExpiry(erasedAt) };
      await sendWrite(table, assign(item));
    },

    /** The events saved for this pass, and for passes of earlier erasures of the same conversation. */
    async *savedEvents(erasure: Erasure): AsyncGenerator<ErasedEvents[]> {
      const upTo = erasedEventsKey(erasure.id, erasure.erasedAt, "~").SK;
      for await (const rows of pages(erasure.id, upTo)) {
        const events = rows.flatMap(({ PK, SK, [A.ulids]: ulids, [A.bodies]: bodies = [] }) =>
          ulids ? { key: { PK, SK }, ulids, bodies } : [],
        );
        if (events.length > 0) yield events;
      }
    },

    /** Ends the pass for these events: only the marks of message events stay. Safe to repeat. */
    async reduceToMarks(events: readonly ErasedEvents[]): Promise<void> {
      await forEachConcurrent(events, CONCURRENCY, async ({ key, ulids, bodies }) => {
        const marks = ulids.filter((ulid) => !bodies.includes(ulid)).map(eventMark);
        if (marks.length === 0) await sendWrite(table, remove(key));
        else {
          const changes = { set: { [A.marks]: marks }, remove: [A.ulids, A.bodies] };
          await conditionalWrite(table, update(key, changes, itemExists));
        }
      });
    },

    /** Whether a message with one of these marks was removed with its conversation or dropped later, as long as the marker exists. */
    async isRemoved(conversationId: string, marks: readonly string[]): Promise<boolean> {
      for await (const rows of pages(deriveErasureId(conversationId), "P#~")) {
        const storedMarks = rows.flatMap(({ [A.ulids]: ulids = [], [A.marks]: saved = [] }) => [
          ...ulids.map(eventMark),
          ...saved,
        ]);
        if (storedMarks.some((mark) => marks.includes(mark))) return true;
      }
      return false;
    },
  };

  async function* pages(erasureId: string, upTo: string): AsyncGenerator<EventsItem[]> {
    let ExclusiveStartKey: Record<string, unknown> | undefined;
    do {
      const response = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: "PK = :e AND SK BETWEEN :from AND :upTo",
          ExpressionAttributeValues: { ":e": erasureKey(erasureId).PK, ":from": "P#", ":upTo": upTo },
          ConsistentRead: true,
          Limit: 10,
          ExclusiveStartKey,
        }),
      );
      yield (response.Items ?? []) as EventsItem[];
      ExclusiveStartKey = response.LastEvaluatedKey;
    } while (ExclusiveStartKey);
  }
}

interface EventsItem extends Key {
  readonly [A.ulids]?: string[];
  readonly [A.bodies]?: string[];
  readonly [A.marks]?: string[];
}

/** A row of events; null when there are none. */
export function eventsItem(
  { id, erasedAt }: { id: string; erasedAt: Millis },
  { ulids, bodies }: { ulids: readonly string[]; bodies: readonly string[] },
) {
  if (ulids.length === 0) return null;
  return {
    ...erasedEventsKey(id, erasedAt, newUlid(erasedAt)),
    [A.ulids]: ulids,
    [A.bodies]: bodies.length > 0 ? bodies : undefined,
    [A.ttl]: markExpiry(erasedAt),
  };
}

/** A mark expires with the erasure's marker. */
function markExpiry(erasedAt: Millis): number {
  return timeToLive(erasedAt + ERASURE_MARKER_TTL);
}

export type Traces = ReturnType<typeof traceStore>;

/** A row of a conversation's partition other than the head, and the items elsewhere that belong to it. */
export interface Trace {
  readonly key: Key;
  /** What it counts as; null for bookkeeping. */
  readonly counts: keyof RemovalCounts | null;
  /** The instant that decides whether the row is older than the erasure. */
  readonly at: Millis;
  /** The event that was published for it. */
  readonly event: { readonly ulid: string; readonly hasStoredBody: boolean } | null;
  readonly relatedItems: readonly { readonly counts: "holds" | "uploads" | null; readonly key: Key }[];
}

const PAGE_SIZE = 100;
/** Requests in flight at once: an erasure is not urgent and must not slow down other work. */

const projectedAttributes = [
  ...new Set([
    ...[Message.eventUlid, Marker.eventUlid, Marker.position, Ref.eventUlid],
    ...[Change.changedAt, Ref.changedAt, Send.startedAt, Budget.spentAt, Related.asOf],
  ]),
];
const projection = {
  expression: ["PK", "SK", ...projectedAttributes.map((_name, index) => `#a${index}`)].join(", "),
  names: Object.fromEntries(projectedAttributes.map((name, index) => [`#a${index}`, name])),
};

/** Finds and removes everything that is stored about a person. */
export function traceStore(table: Table) {
  const { client, name: TableName } = table;
  return {
    /**
     * The rows of a conversation after a sort key, read consistently.
     * @returns `last`: the last sort key read; null when there were no rows
     */
    async page(conversationId: string, after: string): Promise<{ traces: Trace[]; last: string | null }> {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: "PK = :c AND SK > :after",
          ExpressionAttributeValues: { ":c": conversationId, ":after": after },
          ProjectionExpression: projection.expression,
          ExpressionAttributeNames: projection.names,
          ConsistentRead: true,
          Limit: PAGE_SIZE,
        }),
      );
      const rows = (Items as TraceItem[]).filter(({ SK }) => SK !== HEAD_SORT_KEY);
      const last = (LastEvaluatedKey?.SK as string | undefined) ?? rows.at(-1)?.SK ?? null;
      return { traces: rows.map(toTrace), last: last === HEAD_SORT_KEY ? (rows.at(-1)?.SK ?? null) : last };
    },

    /** The keys of all deliveries that these events can have. */
    deliveryKeys(tenant: TenantId, endpointIds: readonly string[], ulids: readonly string[]): Key[] {
      return endpointIds.flatMap((endpointId) => ulids.map((ulid) => deliveryKey(tenant, endpointId, ulid)));
    },

    bodyKeys(tenant: TenantId, ulids: readonly string[]): Key[] {
      return ulids.map((ulid) => eventBodyKey(tenant, ulid));
    },

    /** The keys that have an item, read consistently. */
    async filterExisting(keys: readonly Key[]): Promise<Key[]> {
      return batchGet(table, distinct(keys), { consistent: true, projection: "PK, SK", concurrency: CONCURRENCY });
    },

    /** Removes the items of these keys. Safe to repeat. */
    async remove(keys: readonly Key[]): Promise<void> {
      await batchRemove(table, distinct(keys), { concurrency: CONCURRENCY });
    },
  };
}

/** The attributes that a page reads. Each kind of row has some of them, and kinds share stored names. */
interface TraceItem extends Key {
  readonly [Message.eventUlid]?: string;
  readonly [Marker.position]?: string;
  readonly [Ref.changedAt]?: Millis;
  readonly [Send.startedAt]?: Millis;
}

type RowKind = (tail: string, item: TraceItem) => Omit<Trace, "key">;

const markerTrace = { counts: "markers", event: null, relatedItems: [] } as const;

/** A pending change stores when it was recorded, which may be this much later than when it happened. */
const CHANGE_LATE_MAX: Millis = MINUTE;

/** Each kind of row, by the first letter of its sort key. A row without a time counts as older than any erasure. */
const rowKinds: Readonly<Record<string, RowKind>> = {
  M: (tail, { [Message.eventUlid]: ulid }) => ({
    counts: "messages",
    at: positionTime(tail),
    event: ulid ? { ulid, hasStoredBody: false } : null,
    relatedItems: [],
  }),
  // The event of its message: the message itself may be gone.
  K: (_tail, { [Marker.eventUlid]: ulid, [Marker.position]: position }) => ({
    ...markerTrace,
    at: position ? positionTime(position) : 0,
    event: ulid ? { ulid, hasStoredBody: false } : null,
  }),
  C: (_tail, { [Change.changedAt]: changedAt = 0 }) => ({ ...markerTrace, at: changedAt - CHANGE_LATE_MAX }),
  E: (_tail, { [Ref.eventUlid]: ulid, [Ref.changedAt]: at = 0 }) => ({
    ...markerTrace,
    at,
    event: ulid ? { ulid, hasStoredBody: true } : null,
  }),
  J: (tail, { [Send.startedAt]: startedAt = 0 }) => ({
    ...markerTrace,
    counts: "sendRecords",
    at: isUlid(tail) ? ulidTime(tail) : 0,
    relatedItems: [{ counts: null, key: dueSendKey(startedAt + SEND_SETTLE_DEADLINE, tail) }],
  }),
  B: (_tail, { [Budget.spentAt]: at = 0 }) => ({ ...markerTrace, counts: null, at }),
  A: (tail, { [Related.asOf]: at = 0 }) => ({ counts: null, at, event: null, relatedItems: toRelatedItems(tail) }),
};

function toTrace(item: TraceItem): Trace {
  const [letter = "", tail = ""] = [item.SK.slice(0, 1), item.SK.slice(2)];
  const kind = rowKinds[letter] ?? ((_tail, { [Ref.changedAt]: at = 0 }) => ({ ...markerTrace, at }));
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
