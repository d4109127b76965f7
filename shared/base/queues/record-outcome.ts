import type { Millis } from "../kernel/time.ts";

/** `not_allowed`: the address that requested a sign-in link may not sign in. `unknown_task`: this version has no such task. */
type DropReason = "unreadable" | "stale" | "gone" | "not_allowed" | "unknown_task";

/** How a worker ends one record: it is done, it is dropped for a reason, or it comes again. */
export type RecordOutcome = { readonly end: "done" } | { readonly end: "drop"; readonly reason: DropReason } | Retry;

interface Retry {
  readonly end: "retry";
  readonly cause: string;
  readonly after?: Millis;
  readonly isOutage?: boolean;
}

export const done: RecordOutcome = { end: "done" };

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
