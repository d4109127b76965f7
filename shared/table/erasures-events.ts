import { PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { ERASURE_MARKER_LIFE } from "../domain/limits.ts";
import { newUlid } from "../kernel/ids.ts";
import type { Millis } from "../kernel/time.ts";
import type { Table } from "./client.ts";
import type { Erasure } from "./erasures-items.ts";
import { erasedEventsKey, erasureKey, type Key, timeToLive } from "./keys.ts";

/** Events whose deliveries are looked for once more: an attempt under way may write its row after they were removed. */
export interface ErasedEvents {
  readonly key: Key;
  readonly ulids: readonly string[];
  /** Those among them whose body lies apart. */
  readonly bodies: readonly string[];
}

/** What erasures keep of the events they removed, until the next pass: ULIDs, which name nobody. */
export function erasedEvents({ client, name: TableName }: Table) {
  return {
    /** Keeps events of an erased conversation for its next pass. */
    async keepEvents(
      erased: { id: string; erasedAt: Millis },
      events: { ulids: readonly string[]; bodies: readonly string[] },
    ): Promise<void> {
      const Item = eventsItem(erased, events);
      if (Item) await client.send(new PutCommand({ TableName, Item }));
    },

    /** What was kept for this pass, and for those of earlier erasures of the same conversation. */
    async *keptEvents(erasure: Erasure): AsyncGenerator<ErasedEvents[]> {
      let ExclusiveStartKey: Record<string, unknown> | undefined;
      do {
        const answer = await client.send(
          new QueryCommand({
            TableName,
            KeyConditionExpression: "PK = :e AND SK BETWEEN :from AND :upTo",
            ExpressionAttributeValues: {
              ":e": erasureKey(erasure.id).PK,
              ":from": "P#",
              ":upTo": erasedEventsKey(erasure.id, erasure.erasedAt, "~").SK,
            },
            ConsistentRead: true,
            Limit: 10,
            ExclusiveStartKey,
          }),
        );
        const items = (answer.Items ?? []) as (Key & { u: string[]; b?: string[] })[];
        if (items.length > 0) yield items.map(({ PK, SK, u, b = [] }) => ({ key: { PK, SK }, ulids: u, bodies: b }));
        ExclusiveStartKey = answer.LastEvaluatedKey;
      } while (ExclusiveStartKey);
    },
  };
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
    x: timeToLive(erasedAt + ERASURE_MARKER_LIFE),
  };
}
