import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { newUlid, ulidFloor } from "#base/kernel/ids.ts";
import { RETENTION } from "#base/kernel/limits.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalTransaction, conditionalWrite } from "#base/table/conditional-write.ts";
import {
  allOf,
  anyOf,
  type Expression,
  equals,
  isAbsent,
  isOneOf,
  itemDoesNotExist,
  itemExists,
  storedOr,
} from "#base/table/expressions.ts";
import { type Key, timeToLive } from "#base/table/keys.ts";
import { put, remove, sendWrite, type TransactItem, update } from "#base/table/writes.ts";
import type { Message, SentVia } from "#features/inbox/rules/messages.ts";
import type { NewSend, SendFailure, SendRecord, SendState } from "../rules/sends.ts";
import { sendRecordAttributes as A } from "./attributes.ts";
import { sendRecordKey } from "./keys.ts";

export type SendRecords = ReturnType<typeof sendRecordStore>;

/** What the platform's response said of a send. */
export type PlatformResult =
  | { readonly state: "sent"; readonly messageId: string }
  | { readonly state: "failed"; readonly failure?: SendFailure }
  | { readonly state: "unknown" };

/** `settled_before`: by an echo or by the sweep. `gone`: the conversation was erased. */
export type Settling = "settled" | "settled_before" | "gone";

/**
 * The result of starting a send:
 * - `started`: the caller may call the platform
 * - `existing`: it was started before, and this is its record
 * - `budget_changed`: a condition of an extra item failed; `current`, in the order of the extra items, has the stored
 *   item (null when there is none), or undefined where the condition held
 */
export type SendStart =
  | { readonly outcome: "started" }
  | { readonly outcome: "existing"; readonly record: SendRecord }
  | { readonly outcome: "budget_changed"; readonly current: readonly (Record<string, unknown> | null | undefined)[] };

/**
 * The record of each send. It is written before the platform is called, so that no send is started twice, and so that
 * its echo is recognized as ours even if the platform's response is lost.
 * @param random a draw from [0, 1): the jitter of transaction retries
 */
export function sendRecordStore(table: Table, random: () => number = Math.random) {
  const { client, name: TableName } = table;
  return {
    /**
     * Starts a send once: a repetition returns the record. The table recognizes a transaction whose answer was lost.
     * @param extraItems written in the same transaction
     */
    async start(
      conversationId: string,
      send: NewSend,
      now: Millis,
      extraItems: readonly TransactItem[] = [],
    ): Promise<SendStart> {
      const record = {
        ...sendRecordKey(conversationId, send.id),
        [A.state]: "sending",
        [A.startedAt]: now,
        [A.contentHash]: send.content,
        [A.sentVia]: send.via,
        [A.actorId]: send.actorId ?? undefined,
        [A.holdId]: send.holdId ?? undefined,
        [A.replyTo]: send.replyTo ?? undefined,
        [A.test]: send.scope === "test" ? true : undefined,
        [A.ttl]: timeToLive(now + RETENTION),
      };
      const result = await conditionalTransaction(table, [put(record, itemDoesNotExist), ...extraItems], {
        token: newUlid(now),
        random,
      });
      if (result.applied) return { outcome: "started" };
      const [existing, ...current] = result.current;
      return existing
        ? { outcome: "existing", record: toSendRecord(existing as unknown as RecordItem) }
        : { outcome: "budget_changed", current };
    },

    /**
     * Settles a send by the platform's response. `sent` is always stored; `failed` and `unknown` never override an echo
     * that shows the message, nor does `failed` override the sweep, which has published the outcome as unknown.
     */
    async settleSend(conversationId: string, sendId: string, answer: PlatformResult): Promise<Settling> {
      const set = { [A.state]: answer.state };
      const [changes, condition] =
        answer.state === "sent"
          ? [{ set: { ...set, [A.messageId]: answer.messageId, [A.messageIdSource]: "answer" } }, itemExists]
          : [
              { set: answer.state === "failed" && answer.failure ? { ...set, [A.failure]: answer.failure } : set },
              answer.state === "failed"
                ? allOf(hasNoMessageId, isOneOf(A.state, ["sending", "failed"]))
                : allOf(itemExists, hasNoMessageId),
            ];
      const result = await conditionalWrite<RecordItem>(
        table,
        update(sendRecordKey(conversationId, sendId), changes, condition, "ALL_OLD"),
      );
      if (result.applied) return result.item?.[A.echoAt] === undefined ? "settled" : "settled_before";
      return result.current === null ? "gone" : "settled_before";
    },

    /**
     * Stops waiting for the outcome of a send. It stays unknown unless an echo arrives later.
     * @returns false when the send is settled or gone
     */
    async abandon(conversationId: string, sendId: string): Promise<boolean> {
      const isOpen = allOf(hasNoMessageId, isOneOf(A.state, ["sending", "unknown"]));
      const result = await conditionalWrite(
        table,
        update(sendRecordKey(conversationId, sendId), { set: { [A.state]: "unknown" } }, isOpen),
      );
      return result.applied;
    },

    /** Removes the record of a send. */
    async remove(conversationId: string, sendId: string): Promise<void> {
      await sendWrite(table, remove(sendRecordKey(conversationId, sendId)));
    },

    /** One send, read consistently; null when this conversation has none of that id. */
    async get(conversationId: string, sendId: string): Promise<SendRecord | null> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: sendRecordKey(conversationId, sendId), ConsistentRead: true }),
      );
      return Item ? toSendRecord(Item as RecordItem) : null;
    },

    /** The conversation's sends that started between `from` and `until`, both included, oldest first, read consistently. */
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
     * Settles a send as sent by its echo, unless it got another message id since it was read. Safe to repeat: the same
     * echo claims the send again.
     * @param record as it was read
     * @param echo `id`: the platform's id of the message; `sentAt`: the platform's time
     * @returns whether the send is this message's
     */
    async matchEcho(
      conversationId: string,
      record: SendRecord,
      { id: messageId, sentAt }: Pick<Message, "id" | "sentAt">,
    ): Promise<boolean> {
      const set = {
        [A.state]: "sent",
        [A.echoAt]: sentAt,
        [A.messageId]: messageId,
        [A.messageIdSource]: storedOr(A.messageIdSource, "echo"),
      };
      const result = await conditionalWrite(
        table,
        update(
          sendRecordKey(conversationId, record.id),
          { set },
          allOf(itemExists, anyOf(equals(A.messageId, messageId), isClaimable(record))),
        ),
      );
      return result.applied;
    },
  };
}

const hasNoMessageId = isAbsent(A.messageId);

/** The record is as it was read, and no platform response named its message. */
function isClaimable({ messageId, state }: SendRecord): Expression {
  return messageId === null
    ? allOf(hasNoMessageId, isOneOf(A.state, ["sending", "unknown", state]))
    : allOf(equals(A.messageId, messageId), equals(A.messageIdSource, "echo"));
}

/** A send record as stored. */
interface RecordItem extends Key {
  readonly [A.state]: SendState;
  readonly [A.startedAt]: Millis;
  readonly [A.contentHash]: string;
  readonly [A.sentVia]: SentVia;
  readonly [A.actorId]?: string;
  readonly [A.holdId]?: string;
  readonly [A.replyTo]?: string;
  readonly [A.test]?: true;
  readonly [A.messageId]?: string;
  readonly [A.messageIdSource]?: "answer" | "echo";
  readonly [A.echoAt]?: Millis;
  readonly [A.failure]?: SendFailure;
}

function toSendRecord(item: RecordItem): SendRecord {
  return {
    id: item.SK.slice(2),
    content: item[A.contentHash],
    via: item[A.sentVia],
    actorId: item[A.actorId] ?? null,
    holdId: item[A.holdId] ?? null,
    replyTo: item[A.replyTo] ?? null,
    scope: item[A.test] ? "test" : "live",
    startedAt: item[A.startedAt],
    state: item[A.state],
    messageId: item[A.messageId] ?? null,
    messageIdSource: item[A.messageIdSource] ?? null,
    ...(item[A.echoAt] === undefined ? {} : { echoAt: item[A.echoAt] }),
    ...(item[A.failure] ? { failure: item[A.failure] } : {}),
  };
}
