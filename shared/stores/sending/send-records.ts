import { GetCommand, QueryCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { SentVia } from "../../domain/inbox/messages.ts";
import { RETENTION } from "../../domain/limits.ts";
import type { NewSend, SendFailure, SendRecord, SendState } from "../../domain/sending/sends.ts";
import { newUlid, ulidFloor } from "../../kernel/ids.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Table } from "../client.ts";
import { conditionalWrite, conditions } from "../conditional-write.ts";
import { type Key, sendRecordKey, timeToLive } from "../keys.ts";
import { type TransactItem, transactWithRetry } from "../transaction-retry.ts";

export type SendRecords = ReturnType<typeof sendRecordStore>;

/** What the sender learned from the platform. */
export type PlatformResult =
  | { readonly state: "sent"; readonly messageId: string }
  | { readonly state: "failed"; readonly failure?: SendFailure }
  | { readonly state: "unknown" };

/**
 * How a send was begun:
 * - `known`: it was begun before, and this is what became of it
 * - `unspent`: a condition did not hold of what was to be written with it; `found`, in the order given, is what stands
 *   there instead (null: nothing), undefined where nothing was in the way
 */
export type SendStart =
  | { readonly outcome: "begun" }
  | { readonly outcome: "known"; readonly record: SendRecord }
  | { readonly outcome: "unspent"; readonly current: readonly (Record<string, unknown> | null | undefined)[] };

/**
 * What became of each send: begun before the platform is called, so that no send is ever begun twice, and so that its
 * echo is known as ours whatever becomes of the answer.
 * @param random a draw from [0, 1): how long a transaction that met another one waits
 */
export function sendRecordStore({ client, name: TableName }: Table, random: () => number = Math.random) {
  return {
    /**
     * Begins a send, once: the second time answers the record. An answer that was lost changes nothing: the table knows
     * the transaction again.
     * @param extraItems what is written in the same transaction, or nothing is
     */
    async start(
      conversationId: string,
      send: NewSend,
      now: Millis,
      extraItems: readonly TransactItem[] = [],
    ): Promise<SendStart> {
      const record: TransactItem = {
        Put: {
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
          ConditionExpression: conditions.itemDoesNotExist,
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        },
      };
      const result = await transactWithRetry(
        () =>
          client.send(
            new TransactWriteCommand({ ClientRequestToken: newUlid(now), TransactItems: [record, ...extraItems] }),
          ),
        random,
      );
      if (result.applied) return { outcome: "begun" };
      const [existing, ...current] = result.current;
      return existing
        ? { outcome: "known", record: toSendRecord(existing as unknown as RecordItem) }
        : { outcome: "unspent", current };
    },

    /**
     * Settles a send by the platform's answer. That it went out stands above all; that it failed or that nothing is
     * known does not stand against an echo that showed it.
     * @returns false when the record is gone: the conversation was erased meanwhile
     */
    async settle(conversationId: string, sendId: string, answer: PlatformResult): Promise<boolean> {
      const isSent = answer.state === "sent";
      const failure = answer.state === "failed" ? answer.failure : undefined;
      const result = await conditionalWrite(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: sendRecordKey(conversationId, sendId),
            UpdateExpression: isSent ? "SET st = :st, m = :m, b = :answer" : `SET st = :st${failure ? ", f = :f" : ""}`,
            ConditionExpression: isSent ? "attribute_exists(PK)" : "attribute_exists(PK) AND attribute_not_exists(m)",
            ExpressionAttributeValues: {
              ":st": answer.state,
              ...(isSent ? { ":m": answer.messageId, ":answer": "answer" } : {}),
              ...(failure ? { ":f": failure } : {}),
            },
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        ),
      );
      return result.applied || result.current !== null;
    },

    /**
     * Waits no longer for what became of a send: its outcome stays unknown, unless an echo comes after all.
     * @returns false when it is settled or gone
     */
    async giveUp(conversationId: string, sendId: string): Promise<boolean> {
      const result = await conditionalWrite(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: sendRecordKey(conversationId, sendId),
            UpdateExpression: "SET st = :unknown",
            ConditionExpression: "attribute_not_exists(m) AND st IN (:sending, :unknown)",
            ExpressionAttributeValues: { ":sending": "sending", ":unknown": "unknown" },
          }),
        ),
      );
      return result.applied;
    },

    /** One send, read consistently; null when this conversation has none of that id. */
    async get(conversationId: string, sendId: string): Promise<SendRecord | null> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: sendRecordKey(conversationId, sendId), ConsistentRead: true }),
      );
      return Item ? toSendRecord(Item as RecordItem) : null;
    },

    /** The conversation's sends begun from `from` until `until`, both included, oldest first, read consistently. */
    async startedBetween(conversationId: string, from: Millis, until: Millis): Promise<SendRecord[]> {
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
        records.push(...(Items as RecordItem[]).map(toSendRecord));
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
      const { id, messageId: storedMessageId } = record;
      const claimableCondition =
        storedMessageId === null
          ? "(attribute_not_exists(m) AND st IN (:sending, :unknown, :asRead))"
          : "(m = :known AND b = :echo)";
      const result = await conditionalWrite(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: sendRecordKey(conversationId, id),
            UpdateExpression: "SET st = :sent, m = :m, b = if_not_exists(b, :echo)",
            ConditionExpression: `attribute_exists(PK) AND (m = :m OR ${claimableCondition})`,
            ExpressionAttributeValues: {
              ":sent": "sent",
              ":m": messageId,
              ":echo": "echo",
              ...(storedMessageId === null
                ? { ":sending": "sending", ":unknown": "unknown", ":asRead": record.state }
                : { ":known": storedMessageId }),
            },
          }),
        ),
      );
      return result.applied;
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
  readonly f?: SendFailure;
}

function toSendRecord(item: RecordItem): SendRecord {
  return {
    id: item.SK.slice(2),
    content: item.c,
    via: item.v,
    actorId: item.ac ?? null,
    holdId: item.ho ?? null,
    replyTo: item.r ?? null,
    scope: item.z ? "test" : "live",
    startedAt: item.ca,
    state: item.st,
    messageId: item.m ?? null,
    messageIdSource: item.b ?? null,
    ...(item.f ? { failure: item.f } : {}),
  };
}
