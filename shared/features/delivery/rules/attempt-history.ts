import type { AttemptOutcome } from "#base/kernel/attempt-outcome.ts";
import { ATTEMPTS_SHOWN_MAX } from "#base/kernel/limits.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type AttemptError, attemptError } from "./deliveries.ts";

/** One attempt of a delivery that has ended. */
export interface PastAttempt {
  /** Its number. A failed probe consumes no attempt, and a replay starts again at 1, so numbers may repeat. */
  readonly attempt: number;
  /** When it started. */
  readonly at: Millis;
  /** Of the response; null without one. */
  readonly status: number | null;
  /** Null for a success, and together with the status for an attempt whose worker died. */
  readonly error: AttemptError | null;
  /** Null for an attempt whose worker died, and for an address that the gate refused. */
  readonly durationMs: number | null;
}

/** The entry of an attempt that ended with an outcome. */
export function toPastAttempt(attempt: number, outcome: AttemptOutcome, settledAt: Millis): PastAttempt {
  const durationMs = outcome.kind === "refused_by_gate" ? null : outcome.durationMs;
  return {
    attempt,
    at: settledAt - (durationMs ?? 0),
    status: outcome.kind === "answered" ? outcome.status : null,
    error: attemptError(outcome),
    durationMs,
  };
}

/** The last ten attempts, newest first, after one more. */
export function withAttempt(attempts: readonly PastAttempt[], newest: PastAttempt): PastAttempt[] {
  return [newest, ...attempts].slice(0, ATTEMPTS_SHOWN_MAX);
}
