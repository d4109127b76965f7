import type { Millis } from "#base/kernel/time.ts";
import type { AccountRef } from "#features/accounts/rules/accounts.ts";
import type { JsonObject } from "./json.ts";
import type { SendRefused } from "./platform.ts";

/** A call that the platform refused. Its detail names no token and no secret. */
export type CallRefused = Pick<
  SendRefused,
  "kind" | "class" | "detail" | "code" | "subcode" | "accountStatus" | "transient"
> & {
  /** How long the platform refuses further calls, where there were too many. */
  readonly coolDownMs?: Millis | null;
};

/** A call whose result is not known: no answer, an error of the platform, or an unreadable answer. */
export interface CallUnknown {
  readonly kind: "unknown";
  /** The platform's own words; absent when it gave none. They name no token and no secret. */
  readonly detail?: string;
}

export type CallFailure = CallRefused | CallUnknown;

/** The account of a call. */
export type CallAccount = AccountRef & { readonly pageId: string | null };

/** What the platform knows of a token. */
export interface Inspection {
  readonly kind: "inspected";
  readonly isValid: boolean;
  /** The platform's words on a token that is not valid or lacks a right. */
  readonly detail: string | null;
  /** Whether the token may read and send messages. False where it is not valid. */
  readonly hasRights: boolean;
  /** When the app loses the data of the person who authorized it; null where the platform names no time. */
  readonly dataAccessExpiresAt: Millis | null;
}

/** A conversation as the platform lists it. */
export interface Thread {
  readonly id: string;
  /** When its newest message was sent, with a precision of a second. */
  readonly updatedAt: Millis;
  /** Who takes part in it beside the account; empty when the platform does not say so. */
  readonly participantIds: readonly string[];
}

/** A message as the platform's history returns it. */
export interface ThreadMessage {
  readonly id: string;
  /** The person on the other side. */
  readonly participantId: string;
  readonly direction: "inbound" | "echo";
  /** With a precision of a second. */
  readonly at: Millis;
  /** The message as a webhook's event describes it, without its time. */
  readonly event: JsonObject;
}

/** The newest messages of a conversation, oldest first. */
export interface ReadThread {
  readonly kind: "read";
  readonly messages: readonly ThreadMessage[];
  /** Whether there may be older ones, which the platform does not show. */
  readonly isCut: boolean;
}

/**
 * The calls of an account's health checks, for one kind of connection. No call throws for an error of the platform or
 * the network. Repeating a call is safe.
 */
export interface AccountPlatform {
  /** Subscribes the app to the account's webhooks, with every field that Parley reads. */
  subscribe(account: CallAccount, token: string): Promise<{ readonly kind: "done" } | CallFailure>;
  /** @param endsBy when the call must have ended. Default: 10 seconds from now */
  unsubscribe(account: CallAccount, token: string, endsBy?: Millis): Promise<{ readonly kind: "done" } | CallFailure>;
  /** `isComplete`: the app is subscribed, with every field that Parley reads. */
  readSubscription(
    account: CallAccount,
    token: string,
  ): Promise<{ readonly kind: "read"; readonly isComplete: boolean } | CallFailure>;
  /** Extends the life of a token of Instagram Login. The tokens of pages have no end, so theirs is refused. */
  refresh(
    token: string,
  ): Promise<{ readonly kind: "refreshed"; readonly token: string; readonly expiresAt: Millis } | CallFailure>;
  /** One call. A refusal that is about the token or its rights is an inspection, any other is a failure. */
  inspect(account: CallAccount, token: string): Promise<Inspection | CallFailure>;
  /** The address of the account's profile picture, not validated; null when it has none. It ends after some days. */
  readPicture(
    account: CallAccount,
    token: string,
  ): Promise<{ readonly kind: "read"; readonly url: string | null } | CallFailure>;
  /**
   * The account's conversations, the one with the newest message first.
   * @param page.after `next` of the page before; null for the first page
   */
  listThreads(
    account: CallAccount,
    token: string,
    page: { readonly after: string | null; readonly limit: number },
  ): Promise<
    { readonly kind: "listed"; readonly threads: readonly Thread[]; readonly next: string | null } | CallFailure
  >;
  /** The newest messages of a conversation, oldest first. The platforms show 20. Skips what is no message. */
  readThread(account: CallAccount, token: string, threadId: string): Promise<ReadThread | CallFailure>;
}
