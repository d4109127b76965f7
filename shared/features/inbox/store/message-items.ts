import { RETENTION } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import { type Key, timeToLive } from "#base/table/keys.ts";
import { parseConversationId } from "../rules/conversations.ts";
import type { MessageContext } from "../rules/message-context.ts";
import type { Attachment, AttachmentType, Direction, Message, SentVia } from "../rules/messages.ts";
import { messageAttributes as A } from "./attributes.ts";
import { feedShard, messageFeed, messageIdIndex, messageKey } from "./keys.ts";
import { type ReactionFields, reactionAttributes, readReactions } from "./reactions.ts";

/** A message as stored. */
export interface MessageItem extends Key, ReactionFields {
  readonly [A.idIndex]: string;
  readonly [A.direction]: Direction;
  readonly [A.text]?: string;
  readonly [A.attachments]?: readonly AttachmentTuple[];
  readonly [A.repliedStory]?: readonly [id: string | null, url: string | null];
  readonly [A.quickReply]?: string;
  /** The payload; empty for a button without one. */
  readonly [A.postback]?: string;
  readonly [A.referral]?: readonly [
    ref: string | null,
    source: string | null,
    type: string | null,
    adId: string | null,
  ];
  /** Absent from an inbound message: it is the participant's. */
  readonly [A.sentVia]?: SentVia;
  readonly [A.actorId]?: string;
  readonly [A.replyTo]?: string;
  readonly [A.holdId]?: string;
  readonly [A.test]?: true;
  readonly [A.eventUlid]: string;
  readonly [A.handle]?: string;
  readonly [A.username]?: string;
  readonly [A.name]?: string;
  readonly [A.sentAt]: Millis;
  /** The newest edit. Of an unsent message only the count stays. */
  readonly [A.editText]?: string;
  readonly [A.editCount]?: number;
  readonly [A.editedAt]?: Millis;
  /** The message was stored and counted as an echo before its send was matched to it. */
  readonly [A.countedAsEcho]?: true;
  /** The row of an unsent message stays, without content: it is shown as unsent, and a repeated webhook cannot restore it. */
  readonly [A.unsentAt]?: Millis;
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
  A.attachments,
  A.repliedStory,
  A.quickReply,
  A.postback,
  A.referral,
  A.replyTo,
  A.editedAt,
  ...reactionAttributes,
] as const;

/** The person's names on a message. */
export const nameAttributes = [A.handle, A.username, A.name] as const;

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
  const { handle, username, name } = message.participant;
  return {
    ...messageKey(message.conversationId, position),
    [A.feed]: messageFeed(tenant, message.scope, feedShard(message.conversationId, shards)),
    [A.feedPosition]: position,
    [A.idIndex]: messageIdIndex(tenant, message.id),
    [A.direction]: message.direction,
    [A.text]: message.text || undefined,
    [A.attachments]: message.attachments.length ? message.attachments.map(toAttachmentTuple) : undefined,
    ...toContextAttributes(message.context),
    [A.sentVia]: message.sentVia === "participant" ? undefined : message.sentVia,
    [A.actorId]: message.actorId ?? undefined,
    [A.replyTo]: message.replyTo ?? undefined,
    [A.holdId]: message.holdId ?? undefined,
    [A.test]: message.scope === "test" ? true : undefined,
    [A.eventUlid]: message.eventUlid,
    // The handle mostly equals the user name and is then stored once.
    [A.handle]: handle === username ? undefined : (handle ?? undefined),
    [A.username]: username ?? undefined,
    // A person without a user name has their name as handle.
    [A.name]: username === null && name === handle ? undefined : (name ?? undefined),
    [A.sentAt]: message.sentAt,
    [A.ttl]: timeToLive(message.sentAt + RETENTION + CLOCK_MARGIN),
  };
}

/** Throws when the message belongs to another tenant. */
export function toMessage(tenant: TenantId, item: MessageItem): Message {
  const ref = parseConversationId(tenant, item.PK);
  if (!ref) throw new Error("Message belongs to another tenant's conversation.");
  const { [A.username]: username = null, [A.editCount]: editCount, [A.unsentAt]: unsentAt } = item;
  const handle = item[A.handle] ?? username;
  const lastReactions = readReactions(item);
  return {
    id: item[A.idIndex].slice(tenant.length + 1),
    conversationId: item.PK,
    account: ref.account,
    participant: {
      id: ref.participantId,
      handle,
      username,
      name: item[A.name] ?? (username === null ? handle : null),
    },
    direction: item[A.direction],
    text: item[A.text] ?? "",
    attachments: (item[A.attachments] ?? []).map(toAttachment),
    ...readContext(item),
    sentAt: item[A.sentAt],
    sentVia: item[A.sentVia] ?? "participant",
    actorId: item[A.actorId] || null,
    replyTo: item[A.replyTo] ?? null,
    ...(item[A.holdId] ? { holdId: item[A.holdId] } : {}),
    scope: item[A.test] ? "test" : "live",
    eventUlid: item[A.eventUlid],
    ...(editCount === undefined
      ? {}
      : { edit: { text: item[A.editText] ?? "", count: editCount, at: item[A.editedAt] ?? null } }),
    ...(item[A.countedAsEcho] ? { counted: true } : {}),
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
    [A.repliedStory]: repliedStory && [repliedStory.id, repliedStory.url],
    [A.quickReply]: quickReply?.payload,
    [A.postback]: postback && (postback.payload ?? ""),
    [A.referral]: referral && [referral.ref, referral.source, referral.type, referral.adId],
  };
}

function readContext(item: MessageItem): { context?: MessageContext } {
  const { [A.repliedStory]: story, [A.quickReply]: payload, [A.postback]: button, [A.referral]: referral } = item;
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
