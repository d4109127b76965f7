import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { batchGet } from "#base/table/batches.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { allOf, equals } from "#base/table/expressions.ts";
import { type Key, oldestPosition, positionTime } from "#base/table/keys.ts";
import { update } from "#base/table/writes.ts";
import { type ConversationHead, isUnanswered, type Message } from "../rules/messages.ts";
import { headAttributes as A } from "./attributes.ts";
import { closingRows } from "./closing-rows.ts";
import {
  type ConversationSnapshot,
  type HeadItem,
  headAdvances,
  toHead,
  toLiveHead,
  toSnapshot,
} from "./conversation-heads.ts";
import { feedRows, takePage } from "./feeds.ts";
import { HEAD_SORT_KEY, headKey, inboxFeed, itemPosition, type MessageItem, toMessage } from "./items.ts";
import type { MessagePage } from "./messages.ts";

export type { ConversationSnapshot, HeadAdvance } from "./conversation-heads.ts";

/** The newest part of a conversation. */
export interface ConversationExcerpt {
  /** Null when there is no conversation, or none any more. */
  readonly head: ConversationHead | null;
  /** When the conversation was erased last. */
  readonly erasedAt: Millis | null;
  /** By position. */
  readonly messages: ReadonlyMap<string, Message>;
}

/** Heads read at most for one page of a filtered inbox. */
const EXAMINED_MAX = 200;

export type Conversations = ReturnType<typeof conversationStore>;

export function conversationStore(table: Table) {
  const { client, name: TableName } = table;

  /** The head; null when there is none or it has expired. Reads consistently unless `consistent` is false. */
  async function get(
    tenant: TenantId,
    conversationId: string,
    now: Millis,
    { consistent = true } = {},
  ): Promise<ConversationHead | null> {
    const { Item } = await client.send(
      new GetCommand({ TableName, Key: headKey(conversationId), ConsistentRead: consistent }),
    );
    return Item ? toLiveHead(tenant, Item as HeadItem, now) : null;
  }

  return {
    ...headAdvances(table),

    /** Snapshots of several conversations by id. Every id is in the map. @param consistent read consistently */
    async snapshots(
      conversationIds: readonly string[],
      { consistent = false } = {},
    ): Promise<Map<string, ConversationSnapshot>> {
      const ids = [...new Set(conversationIds)];
      const snapshotsById = new Map(ids.map((id): [string, ConversationSnapshot] => [id, toSnapshot({})]));
      for (const item of await batchGet<HeadItem>(table, ids.map(headKey), { consistent }))
        snapshotsById.set(item.PK, toSnapshot(item));
      return snapshotsById;
    },

    get,

    /**
     * The inbox, the conversation with the newest message in either direction first. `filter` sees at most 200
     * conversations per page, so a page may be short or empty although `next` is not null. With `since`, the page that
     * reaches an older conversation is the last one.
     * @returns `next`: the position to continue from, or null on the last page
     */
    async inbox(
      tenant: TenantId,
      query: {
        before: string | null;
        since?: Millis | undefined;
        limit: number;
        filter?: ((head: ConversationHead) => boolean) | null;
        now: Millis;
      },
    ): Promise<{ heads: ConversationHead[]; next: string | null }> {
      const { before, since, limit, filter = null, now } = query;
      const rows = feedRows<HeadItem>(table, {
        partitionKey: (shard) => inboxFeed(tenant, shard),
        before,
        expectedRows: filter ? EXAMINED_MAX : limit + 1,
        now,
      });
      const page = await takePage(
        rows,
        limit,
        (item) => filter === null || filter(toHead(tenant, item, now)),
        filter ? EXAMINED_MAX : undefined,
      );
      const isRead = since !== undefined && page.next !== null && positionTime(page.next) < since;
      const next = isRead ? null : page.next;
      return { heads: page.rows.map((item) => toHead(tenant, item, now)), next };
    },

    /**
     * Marks the last inbound message of a conversation as done, or removes the mark. Nothing changes when the last message is
     * not inbound, when the mark is as wanted already, and when a newer message comes in between.
     * @returns the conversation afterwards; null when there is none or it has expired
     */
    async setDone(
      tenant: TenantId,
      conversationId: string,
      { done, now }: { done: boolean; now: Millis },
    ): Promise<{ head: ConversationHead; changed: boolean } | null> {
      const head = await get(tenant, conversationId, now);
      if (!head) return null;
      if (!isUnanswered(head) || done === (head.doneAt !== null)) return { head, changed: false };
      const result = await conditionalWrite<HeadItem>(
        table,
        update(
          headKey(conversationId),
          { set: { [A.doneAt]: done ? now : undefined, [A.undoneAt]: done ? undefined : now } },
          allOf(equals(A.lastAt, head.lastAt), equals(A.lastDirection, head.lastDirection)),
          "ALL_NEW",
        ),
      );
      const item = result.applied ? result.item : result.current;
      const current = item ? toLiveHead(tenant, item, now) : null;
      return current && { head: current, changed: result.applied };
    },

    /**
     * Who needs a reply, in the order in which their windows close: first the open windows, then those in which only a person
     * may write. Sees at most 200 conversations per page.
     * @param page `after`: the position to continue from. `now` of the first page decides which windows are open
     * @returns `next`: the position to continue from, or null on the last page
     */
    async closingInbox(
      tenant: TenantId,
      page: { after: string | null; limit: number; filter: (head: ConversationHead) => boolean; now: Millis },
    ): Promise<{ heads: ConversationHead[]; next: string | null }> {
      const { after, limit, filter, now } = page;
      const rows = closingRows<HeadItem>(table, {
        partitionKey: (shard) => inboxFeed(tenant, shard),
        after,
        expectedRows: EXAMINED_MAX,
        now,
      });
      const result = await takePage(rows, limit, (item) => filter(toHead(tenant, item, now)), EXAMINED_MAX);
      return { heads: result.rows.map((item) => toHead(tenant, item, now)), next: result.next };
    },

    /**
     * The newest messages with the head, in one query, which reads eventually consistently unless `consistent` is true:
     * for a reader that knows what must be there.
     * @param limit of the messages, which are of both scopes
     */
    async getNewest(
      tenant: TenantId,
      {
        conversationId,
        limit,
        now,
        consistent = false,
      }: { conversationId: string; limit: number; now: Millis; consistent?: boolean },
    ): Promise<ConversationExcerpt> {
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: "PK = :c AND SK >= :from",
          ExpressionAttributeValues: { ":c": conversationId, ":from": `M#${oldestPosition(now)}` },
          ScanIndexForward: false,
          Limit: limit + 1,
          ConsistentRead: consistent,
        }),
      );
      const item = (Items as Key[]).find(({ SK }) => SK === HEAD_SORT_KEY) as HeadItem | undefined;
      const messages = (Items as Key[]).filter(({ SK }) => SK !== HEAD_SORT_KEY) as MessageItem[];
      return {
        head: item ? toLiveHead(tenant, item, now) : null,
        erasedAt: item ? toSnapshot(item).erasedAt : null,
        messages: new Map(messages.map((message) => [itemPosition(message), toMessage(tenant, message)])),
      };
    },

    /** The head and its newest messages in one query; null when there is no head or it has expired. */
    async getWithMessages(
      tenant: TenantId,
      query: { conversationId: string; includeTest: boolean; limit: number; now: Millis },
    ): Promise<{ head: ConversationHead; page: MessagePage } | null> {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: "PK = :c AND SK >= :from",
          ExpressionAttributeValues: { ":c": query.conversationId, ":from": `M#${oldestPosition(query.now)}` },
          ScanIndexForward: false,
          Limit: query.limit + 2,
        }),
      );
      const [first, ...rest] = Items as Key[];
      if (first?.SK !== HEAD_SORT_KEY) return null;
      const head = toLiveHead(tenant, first as HeadItem, query.now);
      if (!head) return null;
      const items = rest.slice(0, query.limit) as MessageItem[];
      const rows = items.map((item) => ({ message: toMessage(tenant, item), position: itemPosition(item) }));
      return {
        head,
        page: {
          rows: rows.filter(({ message }) => query.includeTest || message.scope === "live"),
          // A query also ends early at 1 MB.
          next: rest.length > query.limit || LastEvaluatedKey ? (rows.at(-1)?.position ?? null) : null,
        },
      };
    },
  };
}
