import { DeleteCommand, GetCommand, PutCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { RETENTION } from "../domain/limits.ts";
import type { SendContent } from "../domain/send-content.ts";
import { SEND_SETTLED_WITHIN } from "../domain/sends.ts";
import { HOUR, type Millis } from "../kernel/time.ts";
import type { Table } from "./client.ts";
import { whenConditionHolds } from "./conditions.ts";
import { DUE_SHARDS, dueSendKey, dueSendPartition, type Key, sendSweepMarkKey, t13, timeToLive } from "./keys.ts";

export type DueSends = ReturnType<typeof dueSendStore>;

/** A send that is to be looked at once its time is over, with what is needed to end it in its sender's place. */
export interface DueSend {
  readonly conversationId: string;
  readonly sendId: string;
  readonly begunAt: Millis;
  readonly content: SendContent;
}

/**
 * Sends under way. Each is written before its record and removed once everything is done that follows from it: what is
 * left when its time is over is what a process left open, or a send whose outcome nobody knows.
 */
export function dueSendStore({ client, name: TableName }: Table) {
  return {
    /** Safe to repeat: the key follows from the send. */
    async put(due: DueSend): Promise<void> {
      const Item = {
        ...keyOf(due),
        c: due.conversationId,
        // One text, so that no name of an attribute is paid for.
        b: JSON.stringify(due.content),
        x: timeToLive(due.begunAt + RETENTION),
      };
      await client.send(new PutCommand({ TableName, Item }));
    },

    /** Nothing is left to be done for it. */
    async done(due: Pick<DueSend, "begunAt" | "sendId">): Promise<void> {
      await client.send(new DeleteCommand({ TableName, Key: keyOf(due) }));
    },

    /** All whose time was over in (after, upTo], in pages, hour by hour. */
    async *between(after: Millis, upTo: Millis): AsyncGenerator<DueSend[]> {
      if (upTo <= after) return;
      for (let hour = Math.floor(after / HOUR) * HOUR; hour <= upTo; hour += HOUR) {
        for (let shard = 0; shard < DUE_SHARDS; shard++) {
          let ExclusiveStartKey: Record<string, unknown> | undefined;
          do {
            const answer = await client.send(
              new QueryCommand({
                TableName,
                KeyConditionExpression: "PK = :q AND SK BETWEEN :from AND :upTo",
                ExpressionAttributeValues: {
                  ":q": dueSendPartition(hour, shard),
                  ":from": t13(after + 1),
                  ":upTo": `${t13(upTo)}~`,
                },
                ExclusiveStartKey,
              }),
            );
            if (answer.Items?.length) yield (answer.Items as DueSendItem[]).map(dueSendOf);
            ExclusiveStartKey = answer.LastEvaluatedKey;
          } while (ExclusiveStartKey);
        }
      }
    },

    /** The instant up to which every send has been looked at; null before the first time. */
    async sweptUpTo(): Promise<Millis | null> {
      const { Item } = await client.send(new GetCommand({ TableName, Key: sendSweepMarkKey, ConsistentRead: true }));
      return (Item?.at as Millis | undefined) ?? null;
    },

    /** Moves the mark forward; a slower sweep never moves it back. */
    async markSwept(upTo: Millis): Promise<void> {
      await whenConditionHolds(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: sendSweepMarkKey,
            UpdateExpression: "SET #at = :at",
            ConditionExpression: "attribute_not_exists(#at) OR #at < :at",
            ExpressionAttributeNames: { "#at": "at" },
            ExpressionAttributeValues: { ":at": upTo },
          }),
        ),
      );
    },
  };
}

interface DueSendItem extends Key {
  readonly c: string;
  readonly b: string;
}

function keyOf({ begunAt, sendId }: Pick<DueSend, "begunAt" | "sendId">): Key {
  return dueSendKey(begunAt + SEND_SETTLED_WITHIN, sendId);
}

function dueSendOf(item: DueSendItem): DueSend {
  const [at = "", sendId = ""] = item.SK.split("#");
  const content = JSON.parse(item.b) as SendContent;
  return { conversationId: item.c, sendId, begunAt: Number(at) - SEND_SETTLED_WITHIN, content };
}
