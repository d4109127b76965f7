import { RETENTION } from "#base/kernel/limits.ts";
import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import { HOUR, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import type { Scope } from "#features/access/rules/scope.ts";
import { type AccountRef, isExternalId, isPlatform } from "#features/accounts/rules/accounts.ts";

/** The parts of a conversation's id. */
export interface ConversationRef {
  readonly tenant: TenantId;
  readonly account: AccountRef;
  readonly participantId: string;
}

/** `CONV#<tenant>#<platform>#<external_id>#<participant_id>`, the public id and the partition key. */
export function conversationId(ref: ConversationRef): string {
  return `CONV#${ref.tenant}#${ref.account.platform}#${ref.account.externalId}#${ref.participantId}`;
}

/** @returns null when the id is malformed or belongs to another tenant */
export function parseConversationId(tenant: TenantId, id: string): ConversationRef | null {
  const ref = readConversationId(id);
  return ref?.tenant === tenant ? ref : null;
}

/** The refusal of a malformed id. A client cuts an id at its first `#` if that is not encoded in the URL. */
export function malformedConversationId(id: string): Refusal<"conversation_not_found" | "conversation_id_cut"> {
  return refuse(id === "CONV" ? "conversation_id_cut" : "conversation_not_found");
}

/** Parses an id of any tenant, for routes that take their tenant from the resource. */
export function readConversationId(id: string): ConversationRef | null {
  const [kind, slug, platform, externalId, participantId, ...rest] = id.split("#");
  if (kind !== "CONV" || rest.length > 0 || !slug || !platform || !externalId || !participantId) return null;
  const tenant = parseTenant(slug);
  if (!tenant || !isPlatform(platform) || !isExternalId(externalId) || !isExternalId(participantId)) return null;
  return { tenant, account: { platform, externalId }, participantId };
}

export type ProfileState = "pending" | "partial" | "complete" | "unavailable";

/** The head of a conversation: what the inbox shows. Every message advances it. */
export interface ConversationHead {
  readonly id: string;
  readonly ref: ConversationRef;
  readonly accountHandle: string;
  readonly participantHandle: string | null;
  readonly participantUsername: string | null;
  /** The display name; null until the profile is known. */
  readonly participantName: string | null;
  /** The platform's URL; null after it has expired. */
  readonly participantPicture: string | null;
  readonly participantProfile: ProfileState;
  readonly participantProfileAt: Millis | null;
  readonly lastInboundAt: Millis | null;
  readonly lastOutboundAt: Millis | null;
  /** The newest message in either direction. */
  readonly lastAt: Millis;
  readonly lastDirection: Direction;
  readonly lastMessageText: string;
  /** `text`, or the type of the last message's first attachment. */
  readonly lastMessageKind: AttachmentType | "text";
  /** When the first message came that waits for an answer. Null when the last message is no inbound one. */
  readonly waitingSince: Millis | null;
  /** When a person marked the last inbound message as done. Null without a mark, and as soon as a newer message comes. */
  readonly doneAt: Millis | null;
  /** When a person removed that mark. Null while it is there, without one, and as soon as a newer message comes. */
  readonly undoneAt: Millis | null;
}

/** Whether the last message is the person's. */
export function isUnanswered(head: Pick<ConversationHead, "lastDirection">): boolean {
  return head.lastDirection === "inbound";
}

/** Whether a reply is needed: the last message is inbound, and it is not marked as done. */
export function needsReply(head: Pick<ConversationHead, "lastDirection" | "doneAt">): boolean {
  return isUnanswered(head) && head.doneAt === null;
}

/** Whether the retention of a conversation has ended: 7 days after its last message. */
export function isConversationExpired(lastAt: Millis, now: Millis): boolean {
  return now >= lastAt + RETENTION;
}

/**
 * The load that one shard is planned for. A message moves its conversation in the inbox, which is two writes, and a
 * partition takes 1,000 writes per second. More than a third of that stays in reserve.
 */
const MESSAGES_PER_SECOND_PER_SHARD = 150;
export const FEED_SHARDS_MAX = 32;

/**
 * How many shards a tenant's feeds need, as a power of two.
 * @param messagesInHour the messages stored so far in the current hour
 */
export function feedShardsFor(messagesInHour: number): number {
  const minShards = messagesInHour / ((HOUR / SECOND) * MESSAGES_PER_SECOND_PER_SHARD);
  let shards = 1;
  while (shards < minShards && shards < FEED_SHARDS_MAX) shards *= 2;
  return shards;
}

/**
 * A message stored later than this after its time may be known from the platform's history too, which names its second
 * only. Such a message is stored at the position that the marker of its id names.
 */
const LATE_AFTER: Millis = 10 * MINUTE;

/**
 * The history is read for messages of at least this age. The webhook of one that was not late is stored by then, even by
 * a process whose invocation ends half a minute later and whose clock is a minute behind.
 */
export const HISTORY_AGE_MIN: Millis = LATE_AFTER + 2 * MINUTE;

export function isLate(sentAt: Millis, now: Millis): boolean {
  return sentAt < now - LATE_AFTER;
}

// What a person's message brings beside its text and attachments.

/** The story that a message replies to or mentions. Instagram only. */
export interface Story {
  /** Null for a mention: the story is the person's. */
  readonly id: string | null;
  /** The platform's URL, which expires after about a day. */
  readonly url: string | null;
  readonly kind: "reply" | "mention";
}

/** The link, ad or plugin through which the person came to the account. */
export interface Referral {
  /** As the account chose it for its link or ad. */
  readonly ref: string | null;
  readonly source: string | null;
  readonly type: string | null;
  readonly adId: string | null;
}

/** The stored context of a message. A mention is not part of it: the attachment has its URL. */
export interface MessageContext {
  readonly repliedStory?: Pick<Story, "id" | "url">;
  /** The quick reply that the person chose. Its title is the text. */
  readonly quickReply?: { readonly payload: string };
  /** The button that the person pressed. Its title is the text. */
  readonly postback?: { readonly payload: string | null };
  readonly referral?: Referral;
}

/** The story of a message: the one that it replies to, or the one that its first mention names. */
export function messageStory(message: {
  readonly context?: MessageContext;
  readonly attachments: readonly { readonly type: string; readonly url: string | null }[];
}): Story | null {
  const { repliedStory } = message.context ?? {};
  if (repliedStory) return { ...repliedStory, kind: "reply" };
  const mention = message.attachments.find(({ type }) => type === "story_mention");
  return mention ? { id: null, url: mention.url, kind: "mention" } : null;
}

export const attachmentTypes = [
  "image",
  "video",
  "audio",
  "file",
  "share",
  "story_mention",
  "sticker",
  "location",
  "unsupported",
] as const;
export type AttachmentType = (typeof attachmentTypes)[number];

export interface Attachment {
  readonly type: AttachmentType;
  /** The platform's URL, which expires; null where the platform has none. */
  readonly url: string | null;
  readonly title?: string;
  /** Of a location. */
  readonly coordinates?: Coordinates;
}

/** In degrees. */
export interface Coordinates {
  readonly lat: number;
  readonly long: number;
}

export const directions = ["inbound", "outbound", "echo"] as const;
export type Direction = (typeof directions)[number];

export type SentVia = "participant" | "api_in_window" | "api_human_agent" | "native_app" | "other_app";

/** The person, as known when the message was stored, or when its event was published that waited for the name. */
export interface Participant {
  readonly id: string;
  /** The display name: the user name, or the full name on a platform without user names. */
  readonly handle: string | null;
  readonly username: string | null;
  /** The display name; null until the profile is known. */
  readonly name: string | null;
}

/**
 * Of a message whose event waits for the person's name: it waits, or was given the name before its event was published. A
 * message whose event was published without it waits for ever.
 */
export type NameWait = "waiting" | "named";

/** One stored message, with everything that reads and events need. */
export interface Message {
  readonly id: string;
  readonly conversationId: string;
  readonly account: AccountRef;
  readonly participant: Participant;
  /** Absent where the event waits for no name. */
  readonly nameWait?: NameWait;
  readonly direction: Direction;
  readonly text: string;
  /** The platform sent a longer text, whose rest is not stored. Absent where an earlier release stored the message. */
  readonly isTextTruncated?: true;
  readonly attachments: readonly Attachment[];
  /**
   * The URLs that the echo named for sent uploads, one per attachment; null where the attachment has its own. `attachments`
   * stay as they were sent, which the message's event is rendered from.
   */
  readonly echoedUrls?: readonly (string | null)[];
  /** What an inbound message brought beside its content. */
  readonly context?: MessageContext;
  readonly sentAt: Millis;
  readonly sentVia: SentVia;
  readonly actorId: string | null;
  readonly replyTo: string | null;
  /** The id of the held message that this one was sent from. */
  readonly holdId?: string | null;
  readonly scope: Scope;
  /** The ULID of the message's event, created at first intake. */
  readonly eventUlid: string;
  /** The newest edit. `text` stays the original text, which the message's event was rendered from. */
  readonly edit?: Edit;
  /** Already in the statistics: it was first stored as an echo of another app and later matched to its send. */
  readonly counted?: true;
  /** When it was unsent. Its content is then removed. */
  readonly unsentAt?: Millis;
  /** The newest reaction of each side, or its removal. */
  readonly lastReactions?: readonly Reaction[];
}

/** Who changed a message. */
/** Whether a message is stored no longer. No reader shows it then, and no intake takes it. */
export function hasRetentionEnded(sentAt: Millis, now: Millis): boolean {
  return sentAt <= now - RETENTION;
}

export const changeAuthors = ["participant", "account"] as const;
export type ChangeAuthor = (typeof changeAuthors)[number];

export interface Reaction {
  readonly by: ChangeAuthor;
  readonly at: Millis;
  /** Null for the removal of a reaction. */
  readonly content: { readonly reaction: string | null; readonly emoji: string | null } | null;
}

export interface Edit {
  readonly text: string;
  readonly isTextTruncated?: true;
  /** The number of edits so far, from 1. */
  readonly count: number;
  /** Null for an edit that an earlier version stored. */
  readonly at: Millis | null;
}

/** The text as of the newest edit; empty for an unsent message. */
export function currentText({ text, edit, unsentAt }: Pick<Message, "text" | "edit" | "unsentAt">): string {
  return unsentAt === undefined ? (edit?.text ?? text) : "";
}

/** Whether the platform sent a longer text than the current one. */
export function isTextTruncated(message: Pick<Message, "isTextTruncated" | "edit" | "unsentAt">): boolean {
  const { isTextTruncated: isTruncated } = message.edit ?? message;
  return message.unsentAt === undefined && isTruncated === true;
}

/** The attachments with the URLs that an echo named. */
export function currentAttachments({
  attachments,
  echoedUrls = [],
}: Pick<Message, "attachments" | "echoedUrls">): readonly Attachment[] {
  return attachments.map((attachment, index) => ({ ...attachment, url: attachment.url ?? echoedUrls[index] ?? null }));
}

/**
 * The URLs that an echo names for the uploads of a sent message.
 * @param echoed the attachments of the echo
 * @returns one entry per attachment, null where it has a URL already or the echo has none; null when nothing is to be
 *   stored: it is no send through the API, no URL is missing or named, an earlier echo named them, or the attachments
 *   differ in number or type
 */
export function findEchoedUrls(
  message: Pick<Message, "direction" | "attachments" | "echoedUrls" | "unsentAt">,
  echoed: readonly Attachment[],
): readonly (string | null)[] | null {
  const { direction, attachments, echoedUrls, unsentAt } = message;
  if (direction !== "outbound" || echoedUrls || unsentAt !== undefined) return null;
  const isSameMedia =
    attachments.length === echoed.length && attachments.every(({ type }, index) => type === echoed[index]?.type);
  if (!isSameMedia) return null;
  const urls = attachments.map(({ url }, index) => (url === null ? (echoed[index]?.url ?? null) : null));
  return urls.some((url) => url !== null) ? urls : null;
}

/** The reactions that a message has now, the oldest first. */
export function currentReactions({ lastReactions = [] }: Pick<Message, "lastReactions">): Reaction[] {
  return lastReactions.filter(({ content }) => content !== null).sort((one, other) => one.at - other.at);
}

/** Grows with every change of a message. An unsend is the last. */
export function messageVersion({ edit, unsentAt }: Pick<Message, "edit" | "unsentAt">): number {
  return unsentAt === undefined ? (edit?.count ?? 0) : Number.MAX_SAFE_INTEGER;
}

/** Where a message is stored. Queue messages carry this instead of content. */
export interface MessageRef {
  readonly conversationId: string;
  /** `<t13>#<m22>` */
  readonly position: string;
}

/** What an event's body is rendered from: a message, or null when the body is stored with the event. */
export type EventSource = MessageRef | null;

/** A ref as a map key. */
export function messageRefKey(ref: MessageRef): string {
  return `${ref.conversationId} ${ref.position}`;
}
