import type { AccountRef, AccountStatus } from "../domain/accounts/accounts.ts";
import type { SendContent } from "../domain/sending/send-content.ts";
import type { Millis } from "../kernel/time.ts";

/** Where the platforms' APIs are: base URLs without a trailing slash, and the version, such as `v26.0`. */
export interface Upstream {
  readonly facebookGraph: string;
  readonly instagramGraph: string;
  readonly graphVersion: string;
}

export interface Send {
  readonly recipientId: string;
  readonly content: SendContent;
  /** Tagged as typed by a person, which the platforms take until 7 days after the last word of the other side. */
  readonly humanAgent: boolean;
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
 * - `rate`: too many calls; `coolDownMs` says for how long
 * - `thread_owner`: another app has the conversation in hand
 * - `invalid`: the message itself, or what is attached to it
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

/** What a refusal changes beyond its own send. */
export interface Consequences {
  /** What the account's status becomes by it; null leaves the status as it is. */
  readonly accountStatus: Extract<AccountStatus, "needs_reauth" | "restricted"> | null;
  /** How long the account is to send nothing, counted from the answer; null for what is not about the pace. */
  readonly coolDownMs: Millis | null;
  /** How long this person is to get nothing tagged as a human agent's; null for no such wish. */
  readonly humanAgentPauseMs: Millis | null;
  /** The tag was refused, not the message: the app may lack the right to it. Untagged sends may go on. */
  readonly humanAgentRefused: boolean;
  /** A file could not be fetched this time, and handing it over once more may do. A send is never made again. */
  readonly transient: boolean;
}

export interface SendRefused extends Consequences {
  readonly kind: "refused";
  readonly class: RefusalClass;
  /** The platform's own words, at most 300 characters, with anything like a token taken out. */
  readonly detail: string;
  readonly code: number | null;
  readonly subcode: number | null;
}

/** A refused send did not happen. An unknown one may have: it is never made again, and an echo settles it. */
export type SendOutcome =
  | { readonly kind: "accepted"; readonly messageId: string }
  | SendRefused
  | { readonly kind: "unknown"; readonly detail: "outcome_unknown" };

export interface PlatformProfile {
  readonly kind: "found";
  /** The full name, at most 200 characters. */
  readonly name: string | null;
  /** The platform's unique name of the person, where it has such; at most 100 characters. */
  readonly username: string | null;
  /** As the platform gave it. */
  readonly pictureUrl: string | null;
}

/**
 * What the platform tells of a person:
 * - `unavailable`: it keeps this person from this account, and will tomorrow
 * - `unknown`: nothing came of it this time
 */
export type ProfileOutcome = PlatformProfile | { readonly kind: "unavailable" } | { readonly kind: "unknown" };

/** A messaging platform, as one kind of connection reaches it. */
export interface Platform {
  /** Sends one message. Never throws over what the platform or the network does. */
  send(account: AccountRef & { readonly pageId: string | null }, token: string, send: Send): Promise<SendOutcome>;
  /** Asks about one person. Never throws over what the platform or the network does. */
  fetchProfile(account: AccountRef, token: string, participantId: string): Promise<ProfileOutcome>;
  textTooLong(text: string): boolean;
}
