import type { HoldError, HoldLifecycle, HoldState } from "../../domain/holds/holds.ts";
import { readConversationId } from "../../domain/inbox/conversations.ts";
import type { Scope } from "../../domain/inbox/messages.ts";
import { HOLD_READABLE } from "../../domain/limits.ts";
import type { MediaType, OutgoingAttachment, SendContent } from "../../domain/sending/send-content.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { type Key, relatedKeys, t13, timeToLive, WAITING_HOLDS } from "../keys.ts";

/** A held message. */
export interface Hold extends HoldLifecycle {
  readonly id: string;
  readonly tenant: TenantId;
  readonly conversationId: string;
  readonly scope: Scope;
  /** Null as soon as it has been claimed or ran out. */
  readonly content: SendContent | null;
  readonly replyTo: string | null;
  /** The person who typed it. */
  readonly actorId: string;
  /** Of the secret that opens it. */
  readonly secretHash: string;
  /** The one send that may let it go. */
  readonly sendId: string | null;
}

export type NewHold = Omit<Hold, "tenant" | "content" | "sendId" | "state"> & { readonly content: SendContent };

/** A hold as it lies in the table. */
export interface HoldItem extends Key {
  readonly st: "awaiting_verification" | "sending" | "sent" | "failed";
  readonly c: string;
  readonly z?: true;
  readonly b?: string;
  readonly a?: readonly AttachmentItem[];
  readonly r?: string;
  readonly ac: string;
  readonly hs: string;
  readonly ca: Millis;
  readonly ex: Millis;
  readonly s?: string;
  readonly cl?: Millis;
  readonly m?: string;
  readonly er?: HoldError;
}

/** Type, and an address or an id. */
type AttachmentItem = readonly [MediaType, "url" | "id", string];

export function holdItem(hold: NewHold) {
  return {
    ...relatedKeys.hold(hold.id),
    st: "awaiting_verification",
    c: hold.conversationId,
    z: hold.scope === "test" ? true : undefined,
    b: hold.content.kind === "text" ? hold.content.text : undefined,
    a: hold.content.kind === "attachments" ? hold.content.attachments.map(toAttachmentItem) : undefined,
    r: hold.replyTo ?? undefined,
    ac: hold.actorId,
    hs: hold.secretHash,
    ca: hold.createdAt,
    ex: hold.expiresAt,
    x: timeToLive(hold.createdAt + HOLD_READABLE),
    F: WAITING_HOLDS,
    G: t13(hold.expiresAt),
  };
}

export function parseHoldId({ PK }: Pick<Key, "PK">): string {
  return PK.slice("H#".length);
}

export function toHold(item: HoldItem): Hold {
  const tenant = readConversationId(item.c)?.tenant;
  if (!tenant) throw new Error("A hold is of no conversation.");
  const content = toSendContent(item);
  return {
    id: parseHoldId(item),
    tenant,
    conversationId: item.c,
    scope: item.z ? "test" : "live",
    content,
    replyTo: item.r ?? null,
    actorId: item.ac,
    secretHash: item.hs,
    createdAt: item.ca,
    expiresAt: item.ex,
    sendId: item.s ?? null,
    state: toHoldState(item, content),
  };
}

function toHoldState({ st, cl = 0, m = "", er }: HoldItem, content: SendContent | null): HoldState {
  switch (st) {
    case "awaiting_verification":
      // Somebody saw it run out and took its content away: it is over for everyone, whatever their clock says.
      return content === null ? { status: "expired" } : { status: st };
    case "sending":
      return { status: st, claimedAt: cl };
    case "sent":
      return { status: st, platformMessageId: m };
    case "failed":
      return { status: st, error: er ?? { code: "internal_error", message: "", detail: null } };
  }
}

function toSendContent({ b, a }: HoldItem): SendContent | null {
  if (b !== undefined) return { kind: "text", text: b };
  return a ? { kind: "attachments", attachments: a.map(toOutgoingAttachment) } : null;
}

function toAttachmentItem(attachment: OutgoingAttachment): AttachmentItem {
  return "url" in attachment
    ? [attachment.type, "url", attachment.url]
    : [attachment.type, "id", attachment.attachmentId];
}

function toOutgoingAttachment([type, kind, value]: AttachmentItem): OutgoingAttachment {
  return kind === "url" ? { type, url: value } : { type, attachmentId: value };
}
