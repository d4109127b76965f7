import type { Millis } from "../kernel/time.ts";

/** `not_allowed`: the address that requested a sign-in link may not sign in. `unsealable`: what it names cannot be opened. */
type DropReason = "stale" | "gone" | "not_allowed" | "unsealable";

/** How a worker ends one record: it is done, it is dropped for a reason, it comes again, or this release cannot read it. */
export type RecordOutcome =
  | { readonly end: "done" }
  | { readonly end: "drop"; readonly reason: DropReason }
  | { readonly end: "unreadable" }
  | Retry;

interface Retry {
  readonly end: "retry";
  readonly cause: string;
  readonly after?: Millis;
  readonly isOutage?: boolean;
}

export const done: RecordOutcome = { end: "done" };

/**
 * The message is of a version, a kind or an event type that this release does not know, or it is broken. No worker deletes
 * it: it is received again, because another release may run beside this one, and after ten receives it is a dead letter,
 * which a release that can read it redrives.
 */
export const unreadable: RecordOutcome = { end: "unreadable" };

export function drop(reason: DropReason): RecordOutcome {
  return { end: "drop", reason };
}

export function retry(cause: string, after?: Millis): Retry {
  return after === undefined ? { end: "retry", cause } : { end: "retry", cause, after };
}

/**
 * The work can succeed later without a change of this message: a platform's limit, or no answer of it.
 * @param after how long the service refuses further calls, as it says itself
 */
export function waitForService(cause: string, after?: Millis | null): RecordOutcome {
  return { ...retry(cause, after ?? undefined), isOutage: true };
}
