import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { table as names } from "#base/config/names.ts";
import { MESSAGE_ID_CHARS_MAX } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { batchGet } from "#base/table/batches.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { itemDoesNotExist, itemExists } from "#base/table/expressions.ts";
import { type Key, oldestPosition, pageRange, positionTime, t13 } from "#base/table/keys.ts";
import { put, remove, sendWrite, update } from "#base/table/writes.ts";
import { type Direction, hasRetentionEnded, type Message, type MessageRef, messageRefKey } from "../rules/messages.ts";
import { messageAttributes as A } from "./attributes.ts";
import { type FeedRow, feedRows, takePage } from "./feeds.ts";
import {
  itemPosition,
  type MessageItem,
  messageFeed,
  messageIdIndex,
  messageKey,
  messagePosition,
  nameAttributes,
  type Placement,
  toMessage,
  toMessageItem,
} from "./items.ts";

export interface RecordedMessage {
  /** The stored message, which may have been edited or unsent before this delivery of it. */
  readonly message: Message;
  readonly ref: MessageRef;
  /** False when it was stored before, a repeated intake or an echo of our own send, or when its retention has ended. */
  readonly isNew: boolean;
}

export interface MessagePage {
  readonly rows: readonly { readonly message: Message; readonly position: string }[];
  /** The position of the last message examined, or null on the last page. */
  readonly next: string | null;
}

/** Rows read at most for one page of a filtered list, which may then be short. */
const EXAMINED_MAX = 200;

export type Messages = ReturnType<typeof messageStore>;

export function messageStore(table: Table) {
  const { client, name: TableName } = table;
  /**
   * Stores a message at a given position, unless one is stored there. A message whose retention has ended is not stored:
   * its row may be gone, and a repetition would be new.
   */
  async function putAt(tenant: TenantId, message: Message, placement: Placement): Promise<RecordedMessage> {
    const ref = { conversationId: message.conversationId, position: placement.position };
    if (hasRetentionEnded(message.sentAt, placement.now)) return { message, ref, isNew: false };
    const result = await conditionalWrite<MessageItem>(
      table,
      put(toMessageItem(tenant, message, placement), itemDoesNotExist),
    );
    if (result.applied) return { message, ref, isNew: true };
    return { message: result.current ? toMessage(tenant, result.current) : message, ref, isNew: false };
  }

  return {
    putAt,

    /**
     * Stores an inbound message. Safe to repeat: a repetition returns the event of the first call.
     * @param shards the number of shards of the tenant's feeds
     */
    record(tenant: TenantId, message: Message, now: Millis, shards = 1): Promise<RecordedMessage> {
      return putAt(tenant, message, { position: messagePosition(message.sentAt, message.id), now, shards });
    },

    /**
     * The messages that a batch of events names; missing and unsent ones are absent from the map. Reads eventually
     * consistently first, at half the price, and reads only what is missing or waits for a name again, consistently: once
     * an event was published, every reader sees the names that it was published with.
     */
    async getByRefs(tenant: TenantId, refs: readonly MessageRef[]): Promise<Map<string, Message>> {
      const messages = await readRefs(tenant, dedupe(refs), false);
      const unsure = dedupe(refs).filter((ref) => {
        const message = messages.get(messageRefKey(ref));
        return !message || message.nameWait === "waiting";
      });
      if (unsure.length === 0) return messages;
      for (const ref of unsure) messages.delete(messageRefKey(ref));
      return new Map([...messages, ...(await readRefs(tenant, unsure, true))]);
    },

    /** Removes a message. @returns the message as it was, or null when there was none */
    async remove(tenant: TenantId, ref: MessageRef): Promise<Message | null> {
      const key = messageKey(ref.conversationId, ref.position);
      const item = await sendWrite(table, remove(key, undefined, "ALL_OLD"));
      return item ? toMessage(tenant, item as unknown as MessageItem) : null;
    },

    /** Removes the person's names from a message. */
    async removeParticipantNames({ conversationId, position }: MessageRef): Promise<void> {
      const changes = { remove: nameAttributes };
      await conditionalWrite(table, update(messageKey(conversationId, position), changes, itemExists));
    },

    /** One message by the platform's id, in any scope; null when unknown or past its retention. */
    async getById(tenant: TenantId, messageId: string, now: Millis): Promise<Message | null> {
      if (messageId.length > MESSAGE_ID_CHARS_MAX) return null;
      const { Items } = await client.send(
        new QueryCommand({
          TableName,
          IndexName: names.idIndex.name,
          KeyConditionExpression: `${A.idIndex} = :i`,
          ExpressionAttributeValues: { ":i": messageIdIndex(tenant, messageId) },
          Limit: 1,
        }),
      );
      const key = Items?.[0] as Key | undefined;
      if (!key) return null;
      const { Item } = await client.send(new GetCommand({ TableName, Key: { PK: key.PK, SK: key.SK } }));
      if (!Item || itemPosition(Item as MessageItem) < oldestPosition(now)) return null;
      return toMessage(tenant, Item as MessageItem);
    },

    /**
     * When messages of a conversation are stored as sent, by their ids. Looks at a part of it only, which it reads
     * consistently: the index of ids may be behind. A message that is not there is absent from the map.
     */
    async sentTimes(
      conversationId: string,
      messageIds: readonly string[],
      { from, upTo }: { readonly from: Millis; readonly upTo: Millis },
    ): Promise<Map<string, Millis>> {
      const positions = new Set<string>();
      let ExclusiveStartKey: Record<string, unknown> | undefined;
      do {
        const { Items = [], LastEvaluatedKey } = await client.send(
          new QueryCommand({
            TableName,
            KeyConditionExpression: "PK = :c AND SK BETWEEN :from AND :upTo",
            ExpressionAttributeValues: { ":c": conversationId, ":from": `M#${t13(from)}`, ":upTo": `M#${t13(upTo)}~` },
            ProjectionExpression: "PK, SK",
            ConsistentRead: true,
            ExclusiveStartKey,
          }),
        );
        for (const item of Items as Key[]) positions.add(itemPosition(item));
        ExclusiveStartKey = LastEvaluatedKey;
      } while (ExclusiveStartKey);
      return new Map(
        messageIds.flatMap((id): [string, Millis][] => {
          const idPart = messagePosition(0, id).slice(t13(0).length);
          const position = [...positions].find((stored) => stored.endsWith(idPart));
          return position === undefined ? [] : [[id, positionTime(position)]];
        }),
      );
    },

    /** The tenant's messages, newest first. `includeTest` adds those of test keys. */
    async feed(
      tenant: TenantId,
      query: {
        includeTest: boolean;
        direction: Direction | null;
        before: string | null;
        limit: number;
        now: Millis;
      },
    ): Promise<MessagePage> {
      const { includeTest, direction, before, limit, now } = query;
      const rows = feedRows<MessageItem & FeedRow>(table, {
        partitionKey: (shard) => messageFeed(tenant, "live", shard),
        extraPartitions: includeTest ? [messageFeed(tenant, "test", 0)] : [],
        before,
        expectedRows: direction === null ? limit + 1 : EXAMINED_MAX,
        now,
      });
      const page = await takePage(
        rows,
        limit,
        (item) => direction === null || item[A.direction] === direction,
        direction === null ? undefined : EXAMINED_MAX,
      );
      return {
        ...page,
        rows: page.rows.map((item) => ({ message: toMessage(tenant, item), position: itemPosition(item) })),
      };
    },

    /** One conversation's messages, newest first. */
    async listByConversation(
      tenant: TenantId,
      query: {
        conversationId: string;
        direction: Direction | null;
        includeTest: boolean;
        before: string | null;
        limit: number;
        now: Millis;
      },
    ): Promise<MessagePage> {
      const { conversationId, direction, includeTest, before, limit, now } = query;
      const filtered = direction !== null;
      const range = pageRange(oldestPosition(now), before, "~");
      if (!range) return { rows: [], next: null };
      const { Items = [], LastEvaluatedKey } = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: "PK = :c AND SK BETWEEN :from AND :upTo",
          ExpressionAttributeValues: {
            ":c": conversationId,
            ":from": `M#${range.from}`,
            ":upTo": `M#${range.upTo}`,
          },
          ScanIndexForward: false,
          Limit: filtered ? EXAMINED_MAX : limit + 1,
        }),
      );
      const rows: { message: Message; position: string }[] = [];
      let last: string | null = null;
      for (const [index, item] of (Items as MessageItem[]).entries()) {
        if (rows.length === limit || (!filtered && index === limit)) return { rows, next: last };
        last = itemPosition(item);
        const message = toMessage(tenant, item);
        const matchesFilter =
          (includeTest || message.scope === "live") && (!direction || message.direction === direction);
        if (matchesFilter) rows.push({ message, position: last });
      }
      // A query also ends early at 1 MB: only LastEvaluatedKey says whether there is more.
      return { rows, next: LastEvaluatedKey ? last : null };
    },
  };

  async function readRefs(
    tenant: TenantId,
    refs: readonly MessageRef[],
    consistent: boolean,
  ): Promise<Map<string, Message>> {
    const keys = refs.map((ref) => messageKey(ref.conversationId, ref.position));
    const items = await batchGet<MessageItem>(table, keys, { consistent });
    return new Map(
      items.flatMap((item): [string, Message][] => {
        const message = toMessage(tenant, item);
        return message.unsentAt !== undefined
          ? []
          : [[messageRefKey({ conversationId: item.PK, position: itemPosition(item) }), message]];
      }),
    );
  }
}

function dedupe(refs: readonly MessageRef[]): MessageRef[] {
  return [...new Map(refs.map((ref) => [messageRefKey(ref), ref])).values()];
}
