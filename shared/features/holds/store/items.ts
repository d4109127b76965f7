import { HOLD_READABLE } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { traceField } from "#base/kernel/trace.ts";
import { type Key, t13, timeToLive } from "#base/table/keys.ts";
import type { Scope } from "#features/access/rules/scope.ts";
import { relatedKeys } from "#features/erasure/store/items.ts";
import { readConversationId } from "#features/inbox/rules/messages.ts";
import type { MediaType, OutgoingAttachment, SendContent } from "#features/sending/rules/send-content.ts";
import type { HoldError, HoldLifecycle, HoldState } from "../rules/holds.ts";
import { holdAttributes as A } from "./attributes.ts";

/** Attempts on the check page in a window. @param subject a source network or a hold's id */
export function checkAttemptsKey(subject: string, windowStart: Millis): Key {
  return { PK: `TR#${subject}`, SK: t13(windowStart) };
}

/** The key of the challenges of a day. @param day the days since 1970 */
export function challengeKeyKey(day: number): Key {
  return { PK: `CK#${day}`, SK: "K" };
}

/** The partition of waiting holds in the feed index, sorted by the instant when they expire. */
export const WAITING_HOLDS = "QH";

/** A held message. */
export interface Hold extends HoldLifecycle {
  readonly id: string;
  readonly tenant: TenantId;
  readonly conversationId: string;
  readonly scope: Scope;
  /** Null once it was claimed or expired. */
  readonly content: SendContent | null;
  readonly replyTo: string | null;
  /** The person who wrote it. */
  readonly actorId: string;
  /** The name of that person when they wrote it; null for a key, and for a person without one. */
  readonly actorName: string | null;
  /** The hash of the secret in the check page's link. */
  readonly secretHash: string;
  /** The send that claimed it. */
  readonly sendId: string | null;
  /** After a restore of the table: the message that the platform has of an earlier request with its idempotency key. */
  readonly fetchedMessageId?: string;
  /** The trace of the request that created it. */
  readonly traceId?: string;
}

export type NewHold = Omit<Hold, "tenant" | "content" | "sendId" | "state"> & { readonly content: SendContent };

/** A hold as stored. */
export interface HoldItem extends Key {
  readonly [A.status]: "awaiting_verification" | "sending" | "sent" | "failed";
  readonly [A.conversationId]: string;
  readonly [A.test]?: true;
  readonly [A.text]?: string;
  readonly [A.attachments]?: readonly AttachmentItem[];
  readonly [A.replyTo]?: string;
  readonly [A.actorId]: string;
  readonly [A.actorName]?: string;
  readonly [A.secretHash]: string;
  readonly [A.createdAt]: Millis;
  readonly [A.expiresAt]: Millis;
  readonly [A.fetchedMessageId]?: string;
  readonly [A.sendId]?: string;
  readonly [A.traceId]?: string;
  readonly [A.claimedAt]?: Millis;
  readonly [A.platformMessageId]?: string;
  readonly [A.error]?: HoldError;
}

/** Type, kind, and a URL or an id. */
type AttachmentItem = readonly [MediaType, "url" | "id", string];

/** Only a waiting hold has content, and an entry in the index of waiting holds. */
export const waitingAttributes = [A.text, A.attachments, A.feed, A.feedPosition] as const;

export function holdItem(hold: NewHold) {
  const { content } = hold;
  return {
    ...relatedKeys.hold(hold.id),
    [A.status]: "awaiting_verification",
    [A.conversationId]: hold.conversationId,
    [A.test]: hold.scope === "test" ? true : undefined,
    [A.text]: content.kind === "text" ? content.text : undefined,
    [A.attachments]: content.kind === "attachments" ? content.attachments.map(toAttachmentItem) : undefined,
    [A.replyTo]: hold.replyTo ?? undefined,
    [A.actorId]: hold.actorId,
    [A.actorName]: hold.actorName ?? undefined,
    [A.secretHash]: hold.secretHash,
    [A.fetchedMessageId]: hold.fetchedMessageId,
    [A.traceId]: hold.traceId,
    [A.createdAt]: hold.createdAt,
    [A.expiresAt]: hold.expiresAt,
    [A.ttl]: timeToLive(hold.createdAt + HOLD_READABLE),
    [A.feed]: WAITING_HOLDS,
    [A.feedPosition]: t13(hold.expiresAt),
  };
}

export function parseHoldId({ PK }: Pick<Key, "PK">): string {
  return PK.slice("H#".length);
}

export function toHold(item: HoldItem): Hold {
  const { [A.conversationId]: conversationId } = item;
  const tenant = readConversationId(conversationId)?.tenant;
  if (!tenant) throw new Error("Hold has no conversation.");
  const content = toSendContent(item);
  return {
    id: parseHoldId(item),
    tenant,
    conversationId,
    scope: item[A.test] ? "test" : "live",
    content,
    replyTo: item[A.replyTo] ?? null,
    actorId: item[A.actorId],
    actorName: item[A.actorName] ?? null,
    secretHash: item[A.secretHash],
    createdAt: item[A.createdAt],
    expiresAt: item[A.expiresAt],
    sendId: item[A.sendId] ?? null,
    ...(item[A.fetchedMessageId] === undefined ? {} : { fetchedMessageId: item[A.fetchedMessageId] }),
    ...traceField(item[A.traceId]),
    state: toHoldState(item, content),
  };
}

function toHoldState(item: HoldItem, content: SendContent | null): HoldState {
  const { [A.status]: status } = item;
  switch (status) {
    case "awaiting_verification":
      // Another process recorded that it expired and removed the content: it stays expired, regardless of this clock.
      return content === null ? { status: "expired" } : { status };
    case "sending":
      return { status, claimedAt: item[A.claimedAt] ?? 0 };
    case "sent":
      return { status, platformMessageId: item[A.platformMessageId] ?? "" };
    case "failed":
      return { status, error: item[A.error] ?? { code: "internal_error", message: "", detail: null } };
  }
}

function toSendContent({ [A.text]: text, [A.attachments]: attachments }: HoldItem): SendContent | null {
  if (text !== undefined) return { kind: "text", text };
  return attachments ? { kind: "attachments", attachments: attachments.map(toOutgoingAttachment) } : null;
}

function toAttachmentItem(attachment: OutgoingAttachment): AttachmentItem {
  return "url" in attachment
    ? [attachment.type, "url", attachment.url]
    : [attachment.type, "id", attachment.attachmentId];
}

function toOutgoingAttachment([type, kind, value]: AttachmentItem): OutgoingAttachment {
  return kind === "url" ? { type, url: value } : { type, attachmentId: value };
}
