import { GetCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import {
  type ConversationHead,
  isConversationExpired,
  type ProfileState,
  parseConversationId,
} from "../../domain/inbox/conversations.ts";
import { currentText, type Direction, type Message, messageVersion } from "../../domain/inbox/messages.ts";
import { LAST_MESSAGE_TEXT_CHARS_MAX, RETENTION } from "../../domain/limits.ts";
import { shortHash } from "../../kernel/bytes.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { batchGet } from "../batch-get.ts";
import type { Table } from "../client.ts";
import { conditionalWrite } from "../conditional-write.ts";
import {
  feedShard,
  HEAD_SORT_KEY,
  headKey,
  inboxFeed,
  inboxPosition,
  type Key,
  oldestPosition,
  timeToLive,
} from "../keys.ts";
import { feedRows, takePage } from "./feeds.ts";
import { type MessageItem, toMessage } from "./message-items.ts";
import type { MessagePage } from "./messages.ts";

/** At most this many heads are read for one page of a filtered inbox. */
const EXAMINED_MAX = 200;

export type Conversations = ReturnType<typeof conversationStore>;

/** What a head said before a message was applied to it. */
export interface HeadAdvance {
  /** There was no conversation before this message. */
  readonly started: boolean;
  readonly snapshot: ConversationSnapshot;
}

/** What a worker wants to know of a conversation before it takes a message; it may be a second old. */
export interface ConversationSnapshot {
  readonly exists: boolean;
  /** The conversation was erased at this instant: what is older must not stay. */
  readonly erasedAt: Millis | null;
  /** The short hashes of messages for which a change came before they did. */
  readonly pendingMessageIds: ReadonlySet<string>;
  readonly handle: string | null;
  readonly username: string | null;
  readonly profile: ProfileState;
  readonly profileFetchedAt: Millis | null;
  /** When the picture of the person ends, or ended. */
  readonly pictureEndsAt: Millis | null;
}

/** The inbox that a head is put into. */
export interface InboxTarget {
  readonly accountHandle: string;
  /** How many shards the tenant's feeds have. */
  readonly shards: number;
  /** When the conversation was last erased, where that is known: a new head begins with it. */
  readonly erasedAt?: Millis | null;
  /** The end of the picture that the head was seen with, where that is over: then it goes, unless there is a new one. */
  readonly expiredPictureEndsAt?: Millis | null;
}

export function conversationStore(table: Table) {
  const { client, name: TableName } = table;
  return {
    /**
     * Brings a conversation's head up to a message. Safe to repeat and in any order: the newest message in either
     * direction shows, and neither `last_inbound_at` nor `last_outbound_at` ever moves backwards. Of two at the same
     * instant one always wins, whichever came first; a send stands above the echo it was known by. A message that the
     * head shows already is not applied again: what changed of it since stays. A message from before the conversation
     * was erased never shows.
     */
    async advanceHead(tenant: TenantId, message: Message, inbox: InboxTarget): Promise<HeadAdvance> {
      const initialErasedAt = inbox.erasedAt ?? null;
      const inbound = message.direction === "inbound";
      const timestampAttribute = inbound ? "li" : "lo";
      const advance = (expiredPicture: Millis | null) =>
        conditionalWrite(() =>
          client.send(
            new UpdateCommand({
              TableName,
              Key: headKey(message.conversationId),
              UpdateExpression: `SET la = :at, ${timestampAttribute} = :at, ld = :d, lm = :m, lt = :text, lv = :v, F = :f, G = :g, x = :x, ah = :handle${initialErasedAt === null ? "" : ", ea = if_not_exists(ea, :ea)"}${expiredPicture === null ? "" : " REMOVE pp, px"}`,
              // The words happen to sort as they should: echo, inbound, outbound.
              ConditionExpression: `(attribute_not_exists(ea) OR ea < :at) AND (attribute_not_exists(la) OR la < :at OR (la = :at AND (ld < :d OR (ld = :d AND lm < :m))))${expiredPicture === null ? "" : " AND (attribute_not_exists(px) OR px = :px)"}`,
              ExpressionAttributeValues: {
                ":at": message.sentAt,
                ":d": message.direction,
                ":m": shortHash(message.id),
                ":text": firstChars(currentText(message)),
                ":v": messageVersion(message),
                ":f": inboxFeed(tenant, feedShard(message.conversationId, inbox.shards)),
                ":g": inboxPosition(message.sentAt, message.conversationId),
                ":x": timeToLive(message.sentAt + RETENTION),
                ":handle": inbox.accountHandle,
                ...(initialErasedAt === null ? {} : { ":ea": initialErasedAt }),
                ...(expiredPicture === null ? {} : { ":px": expiredPicture }),
              },
              ReturnValues: "ALL_OLD",
              ReturnValuesOnConditionCheckFailure: "ALL_OLD",
            }),
          ),
        );
      const expiredPicture = inbox.expiredPictureEndsAt ?? null;
      const first = await advance(expiredPicture);
      const hasNewPicture =
        !first.applied && expiredPicture !== null && (first.current?.px ?? expiredPicture) !== expiredPicture;
      const result = hasNewPicture ? await advance(null) : first;
      const previous = (result.applied ? result.output.Attributes : result.current) as
        | Partial<HeadItem>
        | null
        | undefined;
      const headAdvance: HeadAdvance = { started: previous?.la === undefined, snapshot: toSnapshot(previous ?? {}) };
      const { erasedAt } = headAdvance.snapshot;
      if (result.applied || !result.current || (erasedAt !== null && message.sentAt <= erasedAt)) return headAdvance;
      const storedTime = result.current[timestampAttribute] as Millis | undefined;
      if (storedTime !== undefined && storedTime >= message.sentAt) return headAdvance;
      await conditionalWrite(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: headKey(message.conversationId),
            UpdateExpression: `SET ${timestampAttribute} = :at`,
            ConditionExpression: `attribute_exists(la) AND (attribute_not_exists(ea) OR ea < :at) AND (attribute_not_exists(${timestampAttribute}) OR ${timestampAttribute} < :at)`,
            ExpressionAttributeValues: { ":at": message.sentAt },
          }),
        ),
      );
      return headAdvance;
    },

    /**
     * Shows a message as it stands now, where the head shows that message and nothing newer of it.
     * @returns false when the head has not come as far as this message: apply it, and tell it again
     */
    async refreshPreview(message: Message): Promise<boolean> {
      const messageHash = shortHash(message.id);
      const result = await conditionalWrite(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: headKey(message.conversationId),
            UpdateExpression: "SET lt = :text, lv = :v",
            ConditionExpression: "la = :at AND lm = :m AND lv < :v",
            ExpressionAttributeValues: {
              ":at": message.sentAt,
              ":m": messageHash,
              ":text": firstChars(currentText(message)),
              ":v": messageVersion(message),
            },
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        ),
      );
      if (result.applied) return true;
      const { la, lm } = (result.current ?? {}) as Partial<HeadItem>;
      return la !== undefined && (la > message.sentAt || (la === message.sentAt && lm === messageHash));
    },

    /** A glimpse of each of several conversations by id, read eventually consistently; every id is in the map. */
    async snapshots(conversationIds: readonly string[]): Promise<Map<string, ConversationSnapshot>> {
      const ids = [...new Set(conversationIds)];
      const snapshotsById = new Map(ids.map((id): [string, ConversationSnapshot] => [id, toSnapshot({})]));
      for (const item of await batchGet<HeadItem>(table, ids.map(headKey)))
        snapshotsById.set(item.PK, toSnapshot(item));
      return snapshotsById;
    },

    /** The head, read consistently, for a decision about a send; null when there is none or it has expired. */
    async get(tenant: TenantId, conversationId: string, now: Millis): Promise<ConversationHead | null> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: headKey(conversationId), ConsistentRead: true }),
      );
      return Item ? toLiveHead(tenant, Item as HeadItem, now) : null;
    },

    /**
     * The inbox: newest message in either direction first. `next` is the place to go on from. With `keep`, which picks
     * among at most 200 conversations, a page may be short or empty and still go on.
     */
    async inbox(
      tenant: TenantId,
      query: {
        before: string | null;
        limit: number;
        filter?: ((head: ConversationHead) => boolean) | null;
        now: Millis;
      },
    ): Promise<{ heads: ConversationHead[]; next: string | null }> {
      const { before, limit, filter = null, now } = query;
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
      return { heads: page.rows.map((item) => toHead(tenant, item, now)), next: page.next };
    },

    /** The head and its newest messages in one query; null when there is no living head. */
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
      const rows = items.map((item) => ({ message: toMessage(tenant, item), position: item.SK.slice(2) }));
      return {
        head,
        page: {
          rows: rows.filter(({ message }) => !message.unsent && (query.includeTest || message.scope === "live")),
          // An answer ends early at 1 MB, too.
          next: rest.length > query.limit || LastEvaluatedKey ? (rows.at(-1)?.position ?? null) : null,
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
  readonly lm: string;
  readonly lt: string;
  readonly lv: number;
  readonly ah: string;
  readonly ph?: string;
  readonly pu?: string;
  readonly pp?: string;
  readonly px?: Millis;
  readonly pf?: Millis;
  readonly ea?: Millis;
  readonly aw?: ReadonlySet<string>;
  readonly ps?: ProfileState;
}

function toHead(tenant: TenantId, item: HeadItem, now: Millis): ConversationHead {
  const ref = parseConversationId(tenant, item.PK);
  if (!ref) throw new Error("A conversation lies under another tenant.");
  return {
    id: item.PK,
    ref,
    accountHandle: item.ah,
    participantHandle: item.ph ?? item.pu ?? null,
    participantUsername: item.pu ?? null,
    participantPicture: item.px !== undefined && item.px > now ? (item.pp ?? null) : null,
    participantProfile: item.ps ?? "pending",
    participantProfileAt: item.pf ?? null,
    lastInboundAt: item.li ?? null,
    lastOutboundAt: item.lo ?? null,
    lastAt: item.la,
    lastDirection: item.ld,
    lastMessageText: item.lt,
  };
}

/** A head without a last message is none yet, or none any more. */
function toLiveHead(tenant: TenantId, item: HeadItem, now: Millis): ConversationHead | null {
  return item.la === undefined || isConversationExpired(item.la, now) ? null : toHead(tenant, item, now);
}

function toSnapshot(item: Partial<HeadItem>): ConversationSnapshot {
  return {
    exists: item.la !== undefined,
    erasedAt: item.ea ?? null,
    pendingMessageIds: item.aw ?? new Set(),
    handle: item.ph ?? item.pu ?? null,
    username: item.pu ?? null,
    profile: item.ps ?? "pending",
    profileFetchedAt: item.pf ?? null,
    pictureEndsAt: item.px ?? null,
  };
}

/** By code points, so that no character is cut in two. */
function firstChars(text: string): string {
  return text.length <= LAST_MESSAGE_TEXT_CHARS_MAX ? text : [...text].slice(0, LAST_MESSAGE_TEXT_CHARS_MAX).join("");
}
