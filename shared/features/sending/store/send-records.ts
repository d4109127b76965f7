import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { newUlid, ulidFloor } from "#base/kernel/ids.ts";
import { RETENTION } from "#base/kernel/limits.ts";
import type { Millis } from "#base/kernel/time.ts";
import { traceField } from "#base/kernel/trace.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalTransaction, conditionalWrite } from "#base/table/conditional-write.ts";
import { cursorAfter, type DuePage, duePages, sweepCheckpoint } from "#base/table/due-queue.ts";
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
import type { SendContent } from "../rules/send-content.ts";
import {
  type NewSend,
  SEND_SETTLE_DEADLINE,
  type SendFailure,
  type SendRecord,
  type SendState,
} from "../rules/sends.ts";
import { dueSendAttributes, sendRecordAttributes } from "./attributes.ts";
import { dueSendKey, dueSendPartition, sendRecordKey, sendSweepCheckpointKey } from "./items.ts";

export type DueSends = ReturnType<typeof dueSendStore>;

/** A send to settle once its deadline has passed, with everything that another process needs to complete it. */
export interface DueSend {
  readonly conversationId: string;
  readonly sendId: string;
  readonly startedAt: Millis;
  readonly content: SendContent;
  /** The trace of the request that started the send. */
  readonly traceId?: string;
}

/**
 * Sends in progress. Each is written before its record and removed once the send is completed. What is left after the
 * deadline was abandoned by its process, or has an unknown outcome.
 */
export function dueSendStore(table: Table) {
  return {
    /** Safe to repeat: the key follows from the send. */
    async put(due: DueSend): Promise<void> {
      const item = {
        ...dueSendItemKey(due),
        [dueSendAttributes.conversationId]: due.conversationId,
        // One text is smaller than a map with attribute names.
        [dueSendAttributes.content]: JSON.stringify(due.content),
        [dueSendAttributes.traceId]: due.traceId,
        [dueSendAttributes.ttl]: timeToLive(due.startedAt + RETENTION),
      };
      await sendWrite(table, put(item));
    },

    /** Whether a send is in progress, or was abandoned. Reads eventually consistently. */
    async isDue(due: Pick<DueSend, "startedAt" | "sendId">): Promise<boolean> {
      const { Item } = await table.client.send(
        new GetCommand({ TableName: table.name, Key: dueSendItemKey(due), ProjectionExpression: "PK" }),
      );
      return Item !== undefined;
    },

    /** Removes a completed send. */
    async remove(due: Pick<DueSend, "startedAt" | "sendId">): Promise<void> {
      await sendWrite(table, remove(dueSendItemKey(due)));
    },

    /** The sends whose deadline passed in (after, upTo], in order. */
    async *between(after: Millis, upTo: Millis): AsyncGenerator<DuePage<DueSend>> {
      for await (const page of duePages<DueSendItem>(table, dueSendPartition, cursorAfter(after), upTo)) {
        yield { ...page, items: page.items.map(toDueSend) };
      }
    },

    ...sweepCheckpoint(table, sendSweepCheckpointKey),
  };
}

interface DueSendItem extends Key {
  readonly [dueSendAttributes.conversationId]: string;
  readonly [dueSendAttributes.content]: string;
  readonly [dueSendAttributes.traceId]?: string;
}

function dueSendItemKey({ startedAt, sendId }: Pick<DueSend, "startedAt" | "sendId">): Key {
  return dueSendKey(startedAt + SEND_SETTLE_DEADLINE, sendId);
}

function toDueSend(item: DueSendItem): DueSend {
  const [at = "", sendId = ""] = item.SK.split("#");
  const content = JSON.parse(item[dueSendAttributes.content]) as SendContent;
  const { [dueSendAttributes.conversationId]: conversationId, [dueSendAttributes.traceId]: traceId } = item;
  const startedAt = Number(at) - SEND_SETTLE_DEADLINE;
  return { conversationId, sendId, startedAt, content, ...traceField(traceId) };
}

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
        [sendRecordAttributes.state]: "sending",
        [sendRecordAttributes.startedAt]: now,
        [sendRecordAttributes.contentHash]: send.content,
        [sendRecordAttributes.sentVia]: send.via,
        [sendRecordAttributes.actorId]: send.actorId ?? undefined,
        [sendRecordAttributes.holdId]: send.holdId ?? undefined,
        [sendRecordAttributes.replyTo]: send.replyTo ?? undefined,
        [sendRecordAttributes.test]: send.scope === "test" ? true : undefined,
        [sendRecordAttributes.ttl]: timeToLive(now + RETENTION),
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
      const set = { [sendRecordAttributes.state]: answer.state };
      const [changes, condition] =
        answer.state === "sent"
          ? [
              {
                set: {
                  ...set,
                  [sendRecordAttributes.messageId]: answer.messageId,
                  [sendRecordAttributes.messageIdSource]: "answer",
                },
              },
              itemExists,
            ]
          : [
              {
                set:
                  answer.state === "failed" && answer.failure
                    ? { ...set, [sendRecordAttributes.failure]: answer.failure }
                    : set,
              },
              answer.state === "failed"
                ? allOf(hasNoMessageId, isOneOf(sendRecordAttributes.state, ["sending", "failed"]))
                : allOf(itemExists, hasNoMessageId),
            ];
      const result = await conditionalWrite<RecordItem>(
        table,
        update(sendRecordKey(conversationId, sendId), changes, condition, "ALL_OLD"),
      );
      if (result.applied)
        return result.item?.[sendRecordAttributes.echoAt] === undefined ? "settled" : "settled_before";
      return result.current === null ? "gone" : "settled_before";
    },

    /**
     * Stops waiting for the outcome of a send. It stays unknown unless an echo arrives later.
     * @returns false when the send is settled or gone
     */
    async abandon(conversationId: string, sendId: string): Promise<boolean> {
      const isOpen = allOf(hasNoMessageId, isOneOf(sendRecordAttributes.state, ["sending", "unknown"]));
      const result = await conditionalWrite(
        table,
        update(sendRecordKey(conversationId, sendId), { set: { [sendRecordAttributes.state]: "unknown" } }, isOpen),
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
        [sendRecordAttributes.state]: "sent",
        [sendRecordAttributes.echoAt]: sentAt,
        [sendRecordAttributes.messageId]: messageId,
        [sendRecordAttributes.messageIdSource]: storedOr(sendRecordAttributes.messageIdSource, "echo"),
      };
      const result = await conditionalWrite(
        table,
        update(
          sendRecordKey(conversationId, record.id),
          { set },
          allOf(itemExists, anyOf(equals(sendRecordAttributes.messageId, messageId), isClaimable(record))),
        ),
      );
      return result.applied;
    },
  };
}

const hasNoMessageId = isAbsent(sendRecordAttributes.messageId);

/** The record is as it was read, and no platform response named its message. */
function isClaimable({ messageId, state }: SendRecord): Expression {
  return messageId === null
    ? allOf(hasNoMessageId, isOneOf(sendRecordAttributes.state, ["sending", "unknown", state]))
    : allOf(equals(sendRecordAttributes.messageId, messageId), equals(sendRecordAttributes.messageIdSource, "echo"));
}

/** A send record as stored. */
interface RecordItem extends Key {
  readonly [sendRecordAttributes.state]: SendState;
  readonly [sendRecordAttributes.startedAt]: Millis;
  readonly [sendRecordAttributes.contentHash]: string;
  readonly [sendRecordAttributes.sentVia]: SentVia;
  readonly [sendRecordAttributes.actorId]?: string;
  readonly [sendRecordAttributes.holdId]?: string;
  readonly [sendRecordAttributes.replyTo]?: string;
  readonly [sendRecordAttributes.test]?: true;
  readonly [sendRecordAttributes.messageId]?: string;
  readonly [sendRecordAttributes.messageIdSource]?: "answer" | "echo";
  readonly [sendRecordAttributes.echoAt]?: Millis;
  readonly [sendRecordAttributes.failure]?: SendFailure;
}

function toSendRecord(item: RecordItem): SendRecord {
  return {
    id: item.SK.slice(2),
    content: item[sendRecordAttributes.contentHash],
    via: item[sendRecordAttributes.sentVia],
    actorId: item[sendRecordAttributes.actorId] ?? null,
    holdId: item[sendRecordAttributes.holdId] ?? null,
    replyTo: item[sendRecordAttributes.replyTo] ?? null,
    scope: item[sendRecordAttributes.test] ? "test" : "live",
    startedAt: item[sendRecordAttributes.startedAt],
    state: item[sendRecordAttributes.state],
    messageId: item[sendRecordAttributes.messageId] ?? null,
    messageIdSource: item[sendRecordAttributes.messageIdSource] ?? null,
    ...(item[sendRecordAttributes.echoAt] === undefined ? {} : { echoAt: item[sendRecordAttributes.echoAt] }),
    ...(item[sendRecordAttributes.failure] ? { failure: item[sendRecordAttributes.failure] } : {}),
  };
}
