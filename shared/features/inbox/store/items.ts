import { sha256, shortHash } from "#base/kernel/bytes.ts";
import { RETENTION } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { HOUR, MINUTE, type Millis } from "#base/kernel/time.ts";
import { absentOr, allOf, below, type Expression, isUnchanged } from "#base/table/expressions.ts";
import { type Key, t13, timeToLive } from "#base/table/keys.ts";
import type { Scope } from "#features/access/rules/scope.ts";
import {
  type Attachment,
  type AttachmentType,
  type Direction,
  type Message,
  type MessageContext,
  type NameWait,
  type Participant,
  parseConversationId,
  type Reaction,
  type SentVia,
} from "../rules/messages.ts";
import { messageAttributes, reactionAttributes } from "./attributes.ts";

export const HEAD_SORT_KEY = "~HEAD";

export function headKey(conversationId: string): Key {
  return { PK: conversationId, SK: HEAD_SORT_KEY };
}

/** A message's position in time: `<t13>#<m22>`, the end of its sort key and its sort key in the feed. */
export function messagePosition(sentAt: Millis, messageId: string): string {
  return `${t13(sentAt)}#${shortHash(messageId)}`;
}

export function messageKey(conversationId: string, position: string): Key {
  return { PK: conversationId, SK: `M#${position}` };
}

/** One item per outbound message id, so that a send and its echo end in one row, whichever is stored first. */
export function markerKey(conversationId: string, messageId: string): Key {
  return { PK: conversationId, SK: `K#${shortHash(messageId)}` };
}

/** A change that arrived before its message. @param messageHash the short hash of the message's id */
export function pendingChangeKey(conversationId: string, messageHash: string): Key {
  return { PK: conversationId, SK: `C#${messageHash}` };
}

/** The claim of the process that ends the wait of an event for a name, and publishes it. */
export function waitClaimKey(tenant: TenantId, eventUlid: string): Key {
  return { PK: `N#${tenant}#${eventUlid}`, SK: "W" };
}

/**
 * The raw copies of a batch. The partitions of an hour take what one of them could not.
 * @param arrivedAt of the first webhook
 * @param name the same for the same webhooks
 */
export function rawCopyKey(arrivedAt: Millis, name: string): Key {
  const shard = shortHash(name).charCodeAt(0) % RAW_COPY_SHARDS;
  return { PK: `RAW#${Math.floor(arrivedAt / HOUR)}#${shard}`, SK: `${t13(arrivedAt)}#${name}` };
}

const RAW_COPY_SHARDS = 8;

/** The position of the header of a feed of several shards. It sorts after every other position, which starts with a digit. */
export const FEED_HEADER = "~";

/** The header of a feed: the entry of its first shard that says how many shards there are. */
export function feedHeaderKey(tenant: TenantId, feed: "inbox" | "messages"): Key {
  return { PK: `T#${tenant}`, SK: `FEED#${feed}` };
}

/** The shard of a conversation in its tenant's feeds. */
export function feedShard(conversationId: string, shards: number): number {
  return shards === 1 ? 0 : Number.parseInt(sha256(conversationId).toString("hex").slice(0, 8), 16) % shards;
}

export function inboxFeed(tenant: TenantId, shard: number): string {
  return `I#${tenant}#${shard}`;
}

/** Test messages are few and have one shard. */
export function messageFeed(tenant: TenantId, scope: Scope, shard: number): string {
  return scope === "test" ? `FT#${tenant}#0` : `F#${tenant}#${shard}`;
}

/** A conversation's position in the inbox: `<t13>#<hash of its id>`. */
export function inboxPosition(lastAt: Millis, conversationId: string): string {
  return `${t13(lastAt)}#${shortHash(conversationId)}`;
}

export function messageIdIndex(tenant: TenantId, messageId: string): string {
  return `${tenant}#${messageId}`;
}

// A message has at most one reaction of each side, in an attribute per side. Its value sorts by time, so that one
// condition keeps the newest: the time in 15 digits, then reaction and emoji as JSON. A removal is the time alone. At the
// same instant a reaction sorts after a removal.

export const reactionAttributeNames = [
  reactionAttributes.participantReaction,
  reactionAttributes.accountReaction,
] as const;

/** The attributes of an item that can have reactions. */
export interface ReactionFields {
  readonly [reactionAttributes.participantReaction]?: string;
  readonly [reactionAttributes.accountReaction]?: string;
}

const attributeBySide = {
  participant: reactionAttributes.participantReaction,
  account: reactionAttributes.accountReaction,
} as const;

/** The attribute that stores this reaction. */
export function toReactionField(reaction: Reaction): Record<string, string> {
  return { [attributeBySide[reaction.by]]: toStamp(reaction) };
}

/** The stored reaction of this side is older, or absent. */
export function isNewestReaction(reaction: Reaction): Expression {
  return absentOr(below, attributeBySide[reaction.by], toStamp(reaction));
}

/** The item has exactly these reactions. */
export function hasReactions(reactions: readonly Reaction[]): Expression {
  const stampOf = (side: Reaction["by"]) => {
    const reaction = reactions.find(({ by }) => by === side);
    return reaction && toStamp(reaction);
  };
  return allOf(
    isUnchanged(reactionAttributes.participantReaction, stampOf("participant")),
    isUnchanged(reactionAttributes.accountReaction, stampOf("account")),
  );
}

/** The newest reaction of each side, or its removal. */
export function readReactions(item: ReactionFields): Reaction[] {
  return (["participant", "account"] as const).flatMap((by) => {
    const stamp = item[attributeBySide[by]];
    return stamp === undefined ? [] : [fromStamp(by, stamp)];
  });
}

const TIME_CHARS = 15;

function toStamp({ at, content }: Reaction): string {
  const time = String(at).padStart(TIME_CHARS, "0");
  return content ? `${time}${JSON.stringify([content.reaction, content.emoji])}` : time;
}

function fromStamp(by: Reaction["by"], stamp: string): Reaction {
  const at = Number(stamp.slice(0, TIME_CHARS));
  if (stamp.length === TIME_CHARS) return { by, at, content: null };
  const [reaction, emoji] = JSON.parse(stamp.slice(TIME_CHARS)) as [string | null, string | null];
  return { by, at, content: { reaction, emoji } };
}

/** A message as stored. */
export interface MessageItem extends Key, ReactionFields {
  readonly [messageAttributes.idIndex]: string;
  readonly [messageAttributes.direction]: Direction;
  readonly [messageAttributes.text]?: string;
  readonly [messageAttributes.textTruncated]?: true;
  readonly [messageAttributes.attachments]?: readonly AttachmentTuple[];
  readonly [messageAttributes.echoedUrls]?: readonly (string | null)[];
  readonly [messageAttributes.repliedStory]?: readonly [id: string | null, url: string | null];
  readonly [messageAttributes.quickReply]?: string;
  /** The payload; empty for a button without one. */
  readonly [messageAttributes.postback]?: string;
  readonly [messageAttributes.referral]?: readonly [
    ref: string | null,
    source: string | null,
    type: string | null,
    adId: string | null,
  ];
  /** Absent from an inbound message: it is the participant's. */
  readonly [messageAttributes.sentVia]?: SentVia;
  readonly [messageAttributes.actorId]?: string;
  readonly [messageAttributes.replyTo]?: string;
  readonly [messageAttributes.holdId]?: string;
  readonly [messageAttributes.test]?: true;
  readonly [messageAttributes.eventUlid]: string;
  readonly [messageAttributes.handle]?: string;
  readonly [messageAttributes.username]?: string;
  readonly [messageAttributes.name]?: string;
  readonly [messageAttributes.nameWait]?: NameWait;
  readonly [messageAttributes.sentAt]: Millis;
  /** The newest edit. Of an unsent message only the count stays. */
  readonly [messageAttributes.editText]?: string;
  readonly [messageAttributes.editCount]?: number;
  readonly [messageAttributes.editedAt]?: Millis;
  readonly [messageAttributes.editTruncated]?: true;
  /** An earlier release stored and counted the message as an echo before its send was matched to it. */
  readonly [messageAttributes.countedAsEcho]?: true;
  /** The row of an unsent message stays, without content: it is shown as unsent, and a repeated webhook cannot restore it. */
  readonly [messageAttributes.unsentAt]?: Millis;
}

/** The last two are absent where they are null. */
type AttachmentTuple = readonly [
  type: AttachmentType,
  url: string | null,
  title?: string | null,
  coordinates?: readonly [lat: number, long: number],
];

/** Beside the text: what an unsend removes from a message. */
export const contextAttributes = [
  messageAttributes.textTruncated,
  messageAttributes.attachments,
  messageAttributes.echoedUrls,
  messageAttributes.repliedStory,
  messageAttributes.quickReply,
  messageAttributes.postback,
  messageAttributes.referral,
  messageAttributes.replyTo,
  messageAttributes.editedAt,
  messageAttributes.editTruncated,
  ...reactionAttributeNames,
] as const;

/** The person's names on a message. */
export const nameAttributes = [messageAttributes.handle, messageAttributes.username, messageAttributes.name] as const;

/**
 * A row outlives the retention of its message by this: a worker whose clock is behind, or that began before the end, still
 * accepts a repetition, and must see the row. Readers end at the retention.
 */
const CLOCK_MARGIN: Millis = 10 * MINUTE;

export function itemPosition(item: Key): string {
  return item.SK.slice(2);
}

/** Where and until when a message is stored. */
export interface Placement {
  /** In its conversation: `<t13>#<hash of its id>`. */
  readonly position: string;
  /** Nothing is stored when its retention has already ended. */
  readonly now: Millis;
  /** The number of shards of the tenant's feeds. */
  readonly shards: number;
}

export function toMessageItem(tenant: TenantId, message: Message, { position, shards }: Placement) {
  return {
    ...messageKey(message.conversationId, position),
    [messageAttributes.feed]: messageFeed(tenant, message.scope, feedShard(message.conversationId, shards)),
    [messageAttributes.feedPosition]: position,
    [messageAttributes.idIndex]: messageIdIndex(tenant, message.id),
    [messageAttributes.direction]: message.direction,
    [messageAttributes.text]: message.text || undefined,
    [messageAttributes.textTruncated]: message.isTextTruncated,
    [messageAttributes.attachments]: message.attachments.length
      ? message.attachments.map(toAttachmentTuple)
      : undefined,
    ...toContextAttributes(message.context),
    [messageAttributes.sentVia]: message.sentVia === "participant" ? undefined : message.sentVia,
    [messageAttributes.actorId]: message.actorId ?? undefined,
    [messageAttributes.replyTo]: message.replyTo ?? undefined,
    [messageAttributes.holdId]: message.holdId ?? undefined,
    [messageAttributes.test]: message.scope === "test" ? true : undefined,
    [messageAttributes.eventUlid]: message.eventUlid,
    ...toNameFields(message.participant),
    [messageAttributes.nameWait]: message.nameWait,
    [messageAttributes.sentAt]: message.sentAt,
    [messageAttributes.ttl]: timeToLive(message.sentAt + RETENTION + CLOCK_MARGIN),
  };
}

/** The person's names as a message stores them. */
export function toNameFields({ handle, username, name }: Omit<Participant, "id">) {
  return {
    // The handle mostly equals the user name and is then stored once.
    [messageAttributes.handle]: handle === username ? undefined : (handle ?? undefined),
    [messageAttributes.username]: username ?? undefined,
    // A person without a user name has their name as handle.
    [messageAttributes.name]: username === null && name === handle ? undefined : (name ?? undefined),
  };
}

/** Throws when the message belongs to another tenant. */
export function toMessage(tenant: TenantId, item: MessageItem): Message {
  const ref = parseConversationId(tenant, item.PK);
  if (!ref) throw new Error("Message belongs to another tenant's conversation.");
  const {
    [messageAttributes.username]: username = null,
    [messageAttributes.editCount]: editCount,
    [messageAttributes.echoedUrls]: echoedUrls,
    [messageAttributes.unsentAt]: unsentAt,
    [messageAttributes.nameWait]: nameWait,
  } = item;
  const handle = item[messageAttributes.handle] ?? username;
  const lastReactions = readReactions(item);
  return {
    id: item[messageAttributes.idIndex].slice(tenant.length + 1),
    conversationId: item.PK,
    account: ref.account,
    participant: {
      id: ref.participantId,
      handle,
      username,
      name: item[messageAttributes.name] ?? (username === null ? handle : null),
    },
    ...(nameWait ? { nameWait } : {}),
    direction: item[messageAttributes.direction],
    text: item[messageAttributes.text] ?? "",
    ...(item[messageAttributes.textTruncated] ? { isTextTruncated: true } : {}),
    attachments: (item[messageAttributes.attachments] ?? []).map(toAttachment),
    ...(echoedUrls ? { echoedUrls } : {}),
    ...readContext(item),
    sentAt: item[messageAttributes.sentAt],
    sentVia: item[messageAttributes.sentVia] ?? "participant",
    actorId: item[messageAttributes.actorId] || null,
    replyTo: item[messageAttributes.replyTo] ?? null,
    ...(item[messageAttributes.holdId] ? { holdId: item[messageAttributes.holdId] } : {}),
    scope: item[messageAttributes.test] ? "test" : "live",
    eventUlid: item[messageAttributes.eventUlid],
    ...(editCount === undefined
      ? {}
      : {
          edit: {
            text: item[messageAttributes.editText] ?? "",
            ...(item[messageAttributes.editTruncated] ? { isTextTruncated: true } : {}),
            count: editCount,
            at: item[messageAttributes.editedAt] ?? null,
          },
        }),
    ...(item[messageAttributes.countedAsEcho] ? { counted: true } : {}),
    ...(unsentAt === undefined ? {} : { unsentAt }),
    ...(lastReactions.length === 0 ? {} : { lastReactions }),
  };
}

function toAttachmentTuple({ type, url, title, coordinates }: Attachment): AttachmentTuple {
  if (coordinates) return [type, url, title ?? null, [coordinates.lat, coordinates.long]];
  return title === undefined ? [type, url] : [type, url, title];
}

function toAttachment([type, url, title = null, position]: AttachmentTuple): Attachment {
  return {
    type,
    url,
    ...(title === null ? {} : { title }),
    ...(position ? { coordinates: { lat: position[0], long: position[1] } } : {}),
  };
}

function toContextAttributes({ repliedStory, quickReply, postback, referral }: MessageContext = {}) {
  return {
    [messageAttributes.repliedStory]: repliedStory && [repliedStory.id, repliedStory.url],
    [messageAttributes.quickReply]: quickReply?.payload,
    [messageAttributes.postback]: postback && (postback.payload ?? ""),
    [messageAttributes.referral]: referral && [referral.ref, referral.source, referral.type, referral.adId],
  };
}

function readContext(item: MessageItem): { context?: MessageContext } {
  const {
    [messageAttributes.repliedStory]: story,
    [messageAttributes.quickReply]: payload,
    [messageAttributes.postback]: button,
    [messageAttributes.referral]: referral,
  } = item;
  if (!story && payload === undefined && button === undefined && !referral) return {};
  return {
    context: {
      ...(story ? { repliedStory: { id: story[0], url: story[1] } } : {}),
      ...(payload === undefined ? {} : { quickReply: { payload } }),
      ...(button === undefined ? {} : { postback: { payload: button || null } }),
      ...(referral
        ? { referral: { ref: referral[0], source: referral[1], type: referral[2], adId: referral[3] } }
        : {}),
    },
  };
}
