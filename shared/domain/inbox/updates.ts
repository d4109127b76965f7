import type { Millis } from "../../kernel/time.ts";
import type { AccountRef } from "../accounts/accounts.ts";
import type { Attachment } from "./messages.ts";

// What a platform's webhook says, after `shared/platforms` has read it: one Update per event, in our words.

interface UpdateContext {
  /** The account that the update belongs to. */
  readonly account: AccountRef;
  /** The person on the other side. */
  readonly participantId: string;
  /** The platform's own time of the event. */
  readonly at: Millis;
}

/** A message in either direction. A postback is a message too: its title is the text. */
export interface MessageUpdate extends UpdateContext {
  readonly kind: "message";
  readonly messageId: string;
  readonly form: "message" | "postback" | "unsupported";
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** The message this one answers, when it answers one. */
  readonly replyTo: string | null;
  /** Set when the account itself sent it: the page inbox, another app, or our own send coming back. */
  readonly echo: { readonly appId: string | null; readonly metadata: string | null } | null;
}

export interface UnsendUpdate extends UpdateContext {
  readonly kind: "unsend";
  readonly messageId: string;
}

export interface EditUpdate extends UpdateContext {
  readonly kind: "edit";
  readonly messageId: string;
  readonly text: string;
  readonly editCount: number;
}

export interface ReactionUpdate extends UpdateContext {
  readonly kind: "reaction";
  readonly messageId: string;
  readonly action: "react" | "unreact";
  readonly reaction: string | null;
  readonly emoji: string | null;
}

export interface ReadUpdate extends UpdateContext {
  readonly kind: "read";
  /** Instagram names the message, Messenger the instant up to which all is read. */
  readonly messageId: string | null;
  readonly watermark: Millis | null;
}

export interface DeliveredUpdate extends UpdateContext {
  readonly kind: "delivered";
  readonly messageIds: readonly string[];
}

export interface ReferralUpdate extends UpdateContext {
  readonly kind: "referral";
  readonly ref: string | null;
  readonly source: string | null;
}

export interface PolicyUpdate {
  readonly kind: "policy";
  readonly account: AccountRef;
  readonly at: Millis;
  readonly action: "warning" | "block" | "unblock";
  readonly reason: string | null;
}

/** Acknowledged and left alone; `why` is a fixed word of ours, never text of the payload. */
export interface IgnoredUpdate {
  readonly kind: "ignored";
  readonly reason: "self_test" | "dashboard_test" | "handover" | "edit_noise" | "unknown_kind" | "malformed";
}

export type Update =
  | MessageUpdate
  | UnsendUpdate
  | EditUpdate
  | ReactionUpdate
  | ReadUpdate
  | DeliveredUpdate
  | ReferralUpdate
  | PolicyUpdate
  | IgnoredUpdate;
