import type { AccountRef } from "../domain/accounts.ts";
import type { Millis } from "../kernel/time.ts";

/** Where the platforms' APIs are: base URLs without a trailing slash, and the version, such as `v26.0`. */
export interface Upstream {
  readonly facebookGraph: string;
  readonly instagramGraph: string;
  readonly graphVersion: string;
}

export interface SendText {
  readonly recipientId: string;
  readonly text: string;
  /** The platform's id of the message to answer. */
  readonly replyTo: string | null;
  /** The id of our send record. Messenger gives it back in the echo. */
  readonly metadata: string;
}

/**
 * What a refusal is about:
 * - `window`: the time to answer this person is over
 * - `recipient`: this person cannot be reached
 * - `token`: the account's access has ended
 * - `permission`: the account's access lacks a right, or the app was cut off from it
 * - `restricted`: the platform holds the account back
 * - `rate`: too many calls; `retryAfterMs` says for how long, where the platform does
 * - `thread_owner`: another app has the conversation in hand
 * - `invalid`: the message itself
 * - `other`: anything else, such as a platform that could not be reached
 */
export type RefusalClass =
  | "window"
  | "recipient"
  | "token"
  | "permission"
  | "restricted"
  | "rate"
  | "thread_owner"
  | "invalid"
  | "other";

export interface SendRefused {
  readonly kind: "refused";
  readonly class: RefusalClass;
  /** The platform's own words, at most 300 characters, with anything like a token taken out. */
  readonly detail: string;
  readonly code: number | null;
  readonly subcode: number | null;
  readonly retryAfterMs: Millis | null;
}

/** A refused send did not happen. An unknown one may have: it is never made again, and an echo settles it. */
export type SendOutcome =
  | { readonly kind: "accepted"; readonly messageId: string }
  | SendRefused
  | { readonly kind: "unknown"; readonly detail: "outcome_unknown" };

/** A messaging platform, as one kind of connection reaches it. */
export interface Platform {
  /** Sends one text within the reply window. Never throws over what the platform or the network does. */
  sendText(
    account: AccountRef & { readonly pageId: string | null },
    token: string,
    send: SendText,
  ): Promise<SendOutcome>;
  textTooLong(text: string): boolean;
}
