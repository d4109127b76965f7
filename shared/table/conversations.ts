import { GetCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { table as names } from "../config/names.ts";
import { type ConversationHead, hasExpired, type ProfileState, parseConversationId } from "../domain/conversations.ts";
import { LAST_MESSAGE_TEXT_CHARS_MAX, RETENTION } from "../domain/limits.ts";
import type { Direction, Message } from "../domain/messages.ts";
import type { TenantId } from "../kernel/tenant.ts";
import type { Millis } from "../kernel/time.ts";
import type { Table } from "./client.ts";
import { whenConditionHolds } from "./conditions.ts";
import { HEAD_SORT_KEY, headKey, inboxFeed, inboxPlace, justBelow, type Key, oldestPlace, timeToLive } from "./keys.ts";
import { type MessageItem, type MessagePage, messageOf } from "./messages.ts";

export type Conversations = ReturnType<typeof conversationStore>;

export function conversationStore({ client, name: TableName }: Table) {
  return {
    /**
     * Brings a conversation's head up to a message. Safe to repeat and in any order: the newest message in either
     * direction shows, and neither `last_inbound_at` nor `last_outbound_at` ever moves backwards. Of two at the same
     * instant one always wins, whichever came first; a send stands above the echo it was known by.
     */
    async apply(tenant: TenantId, message: Message, accountHandle: string): Promise<void> {
      const inbound = message.direction === "inbound";
      const mine = inbound ? "li" : "lo";
      const newest = await whenConditionHolds(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: headKey(message.conversationId),
            UpdateExpression: `SET la = :at, ${mine} = :at, ld = :d, lt = :text, F = :f, G = :g, x = :x, ah = :handle`,
            // The words happen to sort as they should: echo, inbound, outbound.
            ConditionExpression:
              "attribute_not_exists(PK) OR la < :at OR (la = :at AND (ld < :d OR (ld = :d AND lt < :text)))",
            ExpressionAttributeValues: {
              ":at": message.sentAt,
              ":d": message.direction,
              ":text": firstChars(message.text),
              ":f": inboxFeed(tenant),
              ":g": inboxPlace(message.sentAt, message.conversationId),
              ":x": timeToLive(message.sentAt + RETENTION),
              ":handle": accountHandle,
            },
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        ),
      );
      if (newest.held || !newest.old) return;
      const known = newest.old[mine] as Millis | undefined;
      if (known !== undefined && known >= message.sentAt) return;
      await whenConditionHolds(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: headKey(message.conversationId),
            UpdateExpression: `SET ${mine} = :at`,
            ConditionExpression: `attribute_exists(PK) AND (attribute_not_exists(${mine}) OR ${mine} < :at)`,
            ExpressionAttributeValues: { ":at": message.sentAt },
          }),
        ),
      );
    },

    /** The head, read consistently, for a decision about a send; null when there is none or it has expired. */
    async get(tenant: TenantId, conversationId: string, now: Millis): Promise<ConversationHead | null> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: headKey(conversationId), ConsistentRead: true }),
      );
      return Item ? living(headOf(tenant, Item as HeadItem), now) : null;
    },

    /** The inbox: newest message in either direction first. `next` is the place to go on from. */
    async inbox(
      tenant: TenantId,
      query: { before: string | null; limit: number; now: Millis },
    ): Promise<{ heads: ConversationHead[]; next: string | null }> {
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName,
          IndexName: names.feedIndex.name,
          KeyConditionExpression: "F = :f AND G BETWEEN :from AND :upTo",
          ExpressionAttributeValues: {
            ":f": inboxFeed(tenant),
            ":from": oldestPlace(query.now),
            ":upTo": query.before === null ? "~" : justBelow(query.before),
          },
          ScanIndexForward: false,
          Limit: query.limit + 1,
        }),
      );
      const rows = (Items as HeadItem[]).slice(0, query.limit);
      return {
        heads: rows.map((item) => headOf(tenant, item)),
        next: Items.length > query.limit ? (rows.at(-1)?.G ?? null) : null,
      };
    },

    /** The head and its newest messages in one query; null when there is no living head. */
    async open(
      tenant: TenantId,
      query: { conversationId: string; includeTest: boolean; limit: number; now: Millis },
    ): Promise<{ head: ConversationHead; page: MessagePage } | null> {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: "PK = :c AND SK >= :from",
          ExpressionAttributeValues: { ":c": query.conversationId, ":from": `M#${oldestPlace(query.now)}` },
          ScanIndexForward: false,
          Limit: query.limit + 2,
        }),
      );
      const [first, ...rest] = Items as Key[];
      if (first?.SK !== HEAD_SORT_KEY) return null;
      const head = living(headOf(tenant, first as HeadItem), query.now);
      if (!head) return null;
      const items = rest.slice(0, query.limit) as MessageItem[];
      const rows = items.map((item) => ({ message: messageOf(tenant, item), place: item.SK.slice(2) }));
      return {
        head,
        page: {
          rows: rows.filter(({ message }) => query.includeTest || message.scope === "live"),
          // An answer ends early at 1 MB, too.
          next: rest.length > query.limit || LastEvaluatedKey ? (rows.at(-1)?.place ?? null) : null,
        },
      };
    },
  };
}

/** A conversation's head as it lies in the table. */
interface HeadItem extends Key {
  readonly G: string;
  readonly la: Millis;
  readonly li?: Millis;
  readonly lo?: Millis;
  readonly ld: Direction;
  readonly lt: string;
  readonly ah: string;
  readonly ph?: string;
  readonly pu?: string;
  readonly pp?: string;
  readonly ps?: ProfileState;
}

function headOf(tenant: TenantId, item: HeadItem): ConversationHead {
  const ref = parseConversationId(tenant, item.PK);
  if (!ref) throw new Error("A conversation lies under another tenant.");
  return {
    id: item.PK,
    ref,
    accountHandle: item.ah,
    participantHandle: item.ph ?? null,
    participantUsername: item.pu ?? null,
    participantPicture: item.pp ?? null,
    participantProfile: item.ps ?? "pending",
    lastInboundAt: item.li ?? null,
    lastOutboundAt: item.lo ?? null,
    lastAt: item.la,
    lastDirection: item.ld,
    lastMessageText: item.lt,
  };
}

function living(head: ConversationHead, now: Millis): ConversationHead | null {
  return hasExpired(head.lastAt, now) ? null : head;
}

/** By code points, so that no character is cut in two. */
function firstChars(text: string): string {
  return text.length <= LAST_MESSAGE_TEXT_CHARS_MAX ? text : [...text].slice(0, LAST_MESSAGE_TEXT_CHARS_MAX).join("");
}
