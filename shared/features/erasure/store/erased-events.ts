import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { newUlid } from "#base/kernel/ids.ts";
import { ERASURE_MARKER_TTL } from "#base/kernel/limits.ts";
import { forEachConcurrent } from "#base/kernel/parallel.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { itemExists } from "#base/table/expressions.ts";
import { type Key, timeToLive } from "#base/table/keys.ts";
import { put, remove, sendWrite, update } from "#base/table/writes.ts";
import { deriveErasureId, eventMark } from "../rules/erasures.ts";
import { erasedEventsAttributes as A } from "./attributes.ts";
import type { Erasure } from "./erasure-items.ts";
import { erasedEventsKey, erasureKey } from "./keys.ts";

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
      await sendWrite(table, put(item));
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
