import { DeleteCommand, PutCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { deriveErasureId, eventMark } from "../../domain/erasure/erasures.ts";
import { ERASURE_MARKER_TTL } from "../../domain/limits.ts";
import { newUlid } from "../../kernel/ids.ts";
import { forEachConcurrent } from "../../kernel/parallel.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Table } from "../client.ts";
import { conditionalWrite, conditions } from "../conditional-write.ts";
import { erasedEventsKey, erasureKey, type Key, timeToLive } from "../keys.ts";
import type { Erasure } from "./erasure-items.ts";

/** Events whose deliveries are looked for once more: an attempt under way may write its row after they were removed. */
export interface ErasedEvents {
  readonly key: Key;
  readonly ulids: readonly string[];
  /** Those among them whose body lies apart. */
  readonly bodies: readonly string[];
}

/** Rows that are rewritten at once. */
const CONCURRENCY = 4;

/**
 * What erasures keep of the events they removed: until the next pass ULIDs, and then, for as long as the marker lives,
 * the marks by which the messages are known again. Neither names anybody.
 */
export function erasedEvents({ client, name: TableName }: Table) {
  return {
    /** Keeps events of an erased conversation for its next pass. */
    async saveEvents(
      erasure: { id: string; erasedAt: Millis },
      events: { ulids: readonly string[]; bodies: readonly string[] },
    ): Promise<void> {
      const Item = eventsItem(erasure, events);
      if (Item) await client.send(new PutCommand({ TableName, Item }));
    },

    /** What was kept for this pass, and for those of earlier erasures of the same conversation. */
    async *savedEvents(erasure: Erasure): AsyncGenerator<ErasedEvents[]> {
      const upTo = erasedEventsKey(erasure.id, erasure.erasedAt, "~").SK;
      for await (const rows of pages(erasure.id, upTo)) {
        const erasedEvents = rows.flatMap(({ PK, SK, u, b = [] }) =>
          u ? { key: { PK, SK }, ulids: u, bodies: b } : [],
        );
        if (erasedEvents.length > 0) yield erasedEvents;
      }
    },

    /** The pass is done with these events: of those that announced a message the marks stay. Safe to repeat. */
    async reduceToMarks(events: readonly ErasedEvents[]): Promise<void> {
      await forEachConcurrent(events, CONCURRENCY, async ({ key, ulids, bodies }) => {
        const marks = ulids.filter((ulid) => !bodies.includes(ulid)).map(eventMark);
        if (marks.length > 0) await saveMarks(key, marks);
        else await client.send(new DeleteCommand({ TableName, Key: key }));
      });
    },

    /** Whether a message with one of these marks was removed with its conversation, while the marker lives. */
    async isRemoved(conversationId: string, marks: readonly string[]): Promise<boolean> {
      for await (const rows of pages(deriveErasureId(conversationId), "P#~")) {
        if (rows.some(({ u = [], k = [] }) => [...u.map(eventMark), ...k].some((mark) => marks.includes(mark)))) {
          return true;
        }
      }
      return false;
    },
  };

  async function saveMarks(key: Key, marks: readonly string[]): Promise<void> {
    await conditionalWrite(() =>
      client.send(
        new UpdateCommand({
          TableName,
          Key: key,
          UpdateExpression: "SET k = :marks REMOVE u, b",
          ConditionExpression: conditions.itemExists,
          ExpressionAttributeValues: { ":marks": marks },
        }),
      ),
    );
  }

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
  readonly u?: string[];
  readonly b?: string[];
  readonly k?: string[];
}

/** A row of events; null when there are none. */
export function eventsItem(
  { id, erasedAt }: { id: string; erasedAt: Millis },
  { ulids, bodies }: { ulids: readonly string[]; bodies: readonly string[] },
) {
  if (ulids.length === 0) return null;
  return {
    ...erasedEventsKey(id, erasedAt, newUlid(erasedAt)),
    u: ulids,
    b: bodies.length > 0 ? bodies : undefined,
    x: timeToLive(erasedAt + ERASURE_MARKER_TTL),
  };
}
