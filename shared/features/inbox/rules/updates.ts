import type { Millis } from "#base/kernel/time.ts";
import type { AccountRef } from "#features/accounts/rules/accounts.ts";
import type { Attachment, ChangeAuthor, MessageContext, Referral } from "./messages.ts";

// The events of a platform's webhook, as `shared/platforms` parses them: one Update per event.

interface UpdateContext {
  readonly account: AccountRef;
  readonly participantId: string;
  /** When it happened, by the platform's clock. */
  readonly at: Millis;
  /** The webhook has no readable time, so `at` is its arrival. A repeated webhook then has another time. */
  readonly isArrivalTime?: true;
}

/** A message in either direction. A postback is a message too: its title is the text. */
export interface MessageUpdate extends UpdateContext {
  readonly kind: "message";
  readonly messageId: string;
  readonly form: "message" | "postback" | "unsupported";
  readonly text: string;
  /** The platform sent a longer text. */
  readonly isTextTruncated?: true;
  readonly attachments: readonly Attachment[];
  /** The id of the message that this one replies to; null when it is not a reply. */
  readonly replyTo: string | null;
  /** Set when the account sent the message: from the page inbox, from another app, or through Parley. Else null. */
  readonly echo: { readonly appId: string | null; readonly metadata: string | null } | null;
  /** What an inbound message brought beside its content. */
  readonly context?: MessageContext;
}

interface ChangeContext extends UpdateContext {
  readonly messageId: string;
  readonly by: ChangeAuthor;
}

export interface UnsendUpdate extends ChangeContext {
  readonly kind: "unsend";
}

export interface EditUpdate extends ChangeContext {
  readonly kind: "edit";
  readonly text: string;
  /** The platform sent a longer text. */
  readonly isTextTruncated?: true;
  readonly editCount: number;
}

export interface ReactionUpdate extends ChangeContext {
  readonly kind: "reaction";
  readonly action: "react" | "unreact";
  readonly reaction: string | null;
  readonly emoji: string | null;
}

/** A change to a message after it was sent. */
export type ChangeUpdate = UnsendUpdate | EditUpdate | ReactionUpdate;

export interface ReadUpdate extends UpdateContext {
  readonly kind: "read";
  /** The message that was read. Instagram only. */
  readonly messageId: string | null;
  /** Every message up to this time was read. Messenger only. */
  readonly watermark: Millis | null;
}

export interface DeliveredUpdate extends UpdateContext {
  readonly kind: "delivered";
  readonly messageIds: readonly string[];
}

/** A referral without a message. */
export interface ReferralUpdate extends UpdateContext {
  readonly kind: "referral";
  readonly referral: Referral;
}

export interface PolicyUpdate {
  readonly kind: "policy";
  readonly account: AccountRef;
  readonly at: Millis;
  readonly action: "warning" | "block" | "unblock";
  readonly reason: string | null;
}

/** An event that is acknowledged and not processed. `reason` never holds text of the payload. */
export interface IgnoredUpdate {
  readonly kind: "ignored";
  readonly reason: "self_test" | "dashboard_test" | "handover" | "edit_noise" | "unknown_kind" | "malformed";
}

export type Update =
  | MessageUpdate
  | ChangeUpdate
  | ReadUpdate
  | DeliveredUpdate
  | ReferralUpdate
  | PolicyUpdate
  | IgnoredUpdate;
