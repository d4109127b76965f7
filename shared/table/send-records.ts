import { GetCommand, PutCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { RETENTION } from "../domain/limits.ts";
import type { SentVia } from "../domain/messages.ts";
import type { NewSend, SendRecord, SendState } from "../domain/sends.ts";
import { ulidFloor } from "../kernel/ids.ts";
import type { Millis } from "../kernel/time.ts";
import type { Table } from "./client.ts";
import { whenConditionHolds } from "./conditions.ts";
import { type Key, sendRecordKey, timeToLive } from "./keys.ts";

export type SendRecords = ReturnType<typeof sendRecordStore>;

/** What the sender learned from the platform. */
export type SendAnswer =
  | { readonly state: "sent"; readonly messageId: string }
  | { readonly state: "failed" | "unknown" };

/**
 * What became of each send: begun before the platform is called, so that no send is ever begun twice, and so that its
 * echo is known as ours whatever becomes of the answer.
 */
export function sendRecordStore({ client, name: TableName }: Table) {
  return {
    async begin(conversationId: string, send: NewSend, now: Millis): Promise<void> {
      await client.send(
        new PutCommand({
          TableName,
          Item: {
            ...sendRecordKey(conversationId, send.id),
            st: "sending",
            ca: now,
            c: send.content,
            v: send.via,
            ac: send.actorId ?? undefined,
            ho: send.holdId ?? undefined,
            r: send.replyTo ?? undefined,
            z: send.scope === "test" ? true : undefined,
            x: timeToLive(now + RETENTION),
          },
        }),
      );
    },

    /**
     * Settles a send by the platform's answer. That it went out stands above all; that it failed or that nothing is
     * known does not stand against an echo that showed it.
     * @returns false when the record is gone: the conversation was erased meanwhile
     */
    async settle(conversationId: string, sendId: string, answer: SendAnswer): Promise<boolean> {
      const sent = answer.state === "sent";
      const settled = await whenConditionHolds(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: sendRecordKey(conversationId, sendId),
            UpdateExpression: sent ? "SET st = :st, m = :m, b = :answer" : "SET st = :st",
            ConditionExpression: sent ? "attribute_exists(PK)" : "attribute_exists(PK) AND attribute_not_exists(m)",
            ExpressionAttributeValues: {
              ":st": answer.state,
              ...(sent ? { ":m": answer.messageId, ":answer": "answer" } : {}),
            },
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        ),
      );
      return settled.held || settled.old !== null;
    },

    /** One send, read consistently; null when this conversation has none of that id. */
    async get(conversationId: string, sendId: string): Promise<SendRecord | null> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: sendRecordKey(conversationId, sendId), ConsistentRead: true }),
      );
      return Item ? recordOf(Item as RecordItem) : null;
    },

    /** The conversation's sends begun from `from` until `until`, both included, oldest first, read consistently. */
    async begunBetween(conversationId: string, from: Millis, until: Millis): Promise<SendRecord[]> {
      const records: SendRecord[] = [];
      let after: Record<string, unknown> | undefined;
      do {
        const { Items = [], LastEvaluatedKey } = await client.send(
          new QueryCommand({
            TableName,
            KeyConditionExpression: "PK = :c AND SK BETWEEN :from AND :until",
            ExpressionAttributeValues: {
              ":c": conversationId,
              ":from": sendRecordKey(conversationId, ulidFloor(Math.max(0, from))).SK,
              ":until": sendRecordKey(conversationId, ulidFloor(Math.max(0, until) + 1)).SK,
            },
            ConsistentRead: true,
            ExclusiveStartKey: after,
          }),
        );
        records.push(...(Items as RecordItem[]).map(recordOf));
        after = LastEvaluatedKey;
      } while (after);
      return records;
    },

    /**
     * Settles a send as sent by its echo, unless another message was named for it since it was read. Safe to repeat:
     * the same echo finds its own claim.
     * @param record as it was read
     * @returns whether the send is this message's
     */
    async claim(conversationId: string, record: SendRecord, messageId: string): Promise<boolean> {
      const { id, messageId: known } = record;
      const free =
        known === null
          ? "(attribute_not_exists(m) AND st IN (:sending, :unknown, :asRead))"
          : "(m = :known AND b = :echo)";
      const claimed = await whenConditionHolds(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: sendRecordKey(conversationId, id),
            UpdateExpression: "SET st = :sent, m = :m, b = if_not_exists(b, :echo)",
            ConditionExpression: `attribute_exists(PK) AND (m = :m OR ${free})`,
            ExpressionAttributeValues: {
              ":sent": "sent",
              ":m": messageId,
              ":echo": "echo",
              ...(known === null
                ? { ":sending": "sending", ":unknown": "unknown", ":asRead": record.state }
                : { ":known": known }),
            },
          }),
        ),
      );
      return claimed.held;
    },
  };
}

/** A send record as it lies in the table. */
interface RecordItem extends Key {
  readonly st: SendState;
  readonly ca: Millis;
  readonly c: string;
  readonly v: SentVia;
  readonly ac?: string;
  readonly ho?: string;
  readonly r?: string;
  readonly z?: true;
  readonly m?: string;
  readonly b?: "answer" | "echo";
}

function recordOf(item: RecordItem): SendRecord {
  return {
    id: item.SK.slice(2),
    content: item.c,
    via: item.v,
    actorId: item.ac ?? null,
    holdId: item.ho ?? null,
    replyTo: item.r ?? null,
    scope: item.z ? "test" : "live",
    begunAt: item.ca,
    state: item.st,
    messageId: item.m ?? null,
    namedBy: item.b ?? null,
  };
}
