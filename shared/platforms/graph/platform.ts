import type { Millis } from "#base/kernel/time.ts";
import type { AccountRef, AccountStatus } from "#features/accounts/rules/accounts.ts";
import type { MediaType, SendContent } from "#features/sending/rules/send-content.ts";

/** The platforms' APIs: base URLs without a trailing slash, and the version, such as `v26.0`. */
export interface Upstream {
  readonly facebookGraph: string;
  readonly instagramGraph: string;
  readonly graphVersion: string;
}

export interface Send {
  readonly recipientId: string;
  readonly content: SendContent;
  /** Tags the message as typed by a person. The platforms accept it until 7 days after the last inbound message. */
  readonly humanAgent: boolean;
  /** The platform's id of the message to reply to. */
  readonly replyTo: string | null;
  /** The id of the send record. Messenger returns it in the echo. */
  readonly metadata: string;
  /** The last instant at which the message may leave. */
  readonly leavesBy: Millis;
  /** When the call must have ended, with or without a response. */
  readonly endsBy: Millis;
}

/**
 * Why a send was refused:
 * - `window`: the messaging window is closed
 * - `recipient`: the person cannot be reached
 * - `token`: the access token is no longer valid
 * - `permission`: a permission is missing, or the app lost access to the account
 * - `restricted`: the platform restricts the account
 * - `rate`: too many calls; `coolDownMs` says how long to wait
 * - `thread_owner`: another app controls the conversation
 * - `invalid`: the message or its attachment is invalid
 * - `other`: anything else, such as an unreachable platform
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

/** What a refusal changes for later sends. */
export interface Consequences {
  /** The account's new status; null leaves it unchanged. */
  readonly accountStatus: Extract<AccountStatus, "needs_reauth" | "restricted"> | null;
  /** How long the account must not send, in milliseconds from the response; null unless the class is `rate`. */
  readonly coolDownMs: Millis | null;
  /** How long no human-agent message may go to this person, in milliseconds from the response; null for no pause. */
  readonly humanAgentPauseMs: Millis | null;
  /** The human-agent tag was refused: the app may lack its permission. Untagged sends may continue. */
  readonly humanAgentRefused: boolean;
  /** The platform could not be reached or could not fetch a file: another upload may pass. A send is never repeated. */
  readonly transient: boolean;
}

export interface SendRefused extends Consequences {
  readonly kind: "refused";
  readonly class: RefusalClass;
  /** The platform's error text without tokens, at most 300 characters. */
  readonly detail: string;
  readonly code: number | null;
  readonly subcode: number | null;
}

/**
 * A refused send did not happen, nor did a late one, which did not leave in time. A send with an unknown outcome may have
 * happened: it is never repeated, and its echo settles it.
 */
export type SendOutcome =
  | { readonly kind: "accepted"; readonly messageId: string }
  | SendRefused
  | { readonly kind: "late" }
  | { readonly kind: "unknown"; readonly detail: "outcome_unknown" };

/** A file to upload. The platform fetches it before it answers. */
export interface Upload {
  readonly url: string;
  readonly type: MediaType;
  /** The last instant at which the call may leave. */
  readonly leavesBy: Millis;
  /** When the call must have ended, with or without a response. */
  readonly endsBy: Millis;
}

/** An upload with an unknown outcome may have happened. Repeating it is safe: each upload only makes another id. */
export type UploadOutcome =
  | { readonly kind: "accepted"; readonly attachmentId: string }
  | Exclude<SendOutcome, { readonly kind: "accepted" }>;

export interface PlatformProfile {
  readonly kind: "found";
  /** The full name, at most 200 characters. */
  readonly name: string | null;
  /** The user name, on platforms that have one; at most 100 characters. */
  readonly username: string | null;
  /** Not validated. */
  readonly pictureUrl: string | null;
}

/**
 * The result of a profile lookup:
 * - `unavailable`: the platform does not show this person to this account
 * - `unknown`: the lookup failed, and a later one may not
 */
export type ProfileOutcome =
  | PlatformProfile
  | { readonly kind: "unavailable" }
  /** The platform did not answer, or there were too many calls. `coolDownMs`: how long it refuses them; null when unknown */
  | { readonly kind: "later"; readonly coolDownMs: Millis | null }
  | { readonly kind: "unknown" };

/** A messaging platform over one kind of connection. */
export interface Platform {
  /** Sends one message. Never throws for an error of the platform or the network. */
  send(account: AccountRef & { readonly pageId: string | null }, token: string, send: Send): Promise<SendOutcome>;
  /** Uploads one file for later sends of the account. Never throws for an error of the platform or the network. */
  upload(
    account: AccountRef & { readonly pageId: string | null },
    token: string,
    upload: Upload,
  ): Promise<UploadOutcome>;
  /** Looks up one person. Never throws for an error of the platform or the network. */
  fetchProfile(account: AccountRef, token: string, participantId: string): Promise<ProfileOutcome>;
  textTooLong(text: string): boolean;
}
