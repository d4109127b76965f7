import type { AttemptOutcome } from "#base/kernel/attempt-outcome.ts";
import {
  AUTO_PAUSE_AFTER,
  AUTO_PAUSE_ATTEMPTS_MIN,
  FAILURES_TO_OPEN,
  LATE_ANSWER_DURATION,
  MOVE_TO_SLOW_AFTER,
  PROBE_OVERDUE,
  PROBE_WAIT_FIRST,
  PROBE_WAIT_MAX,
  SLOW_DURATION,
} from "#base/kernel/limits.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type AttemptError, attemptError, GONE } from "./deliveries.ts";

/**
 * An endpoint's circuit breaker. While it is open the endpoint is not called, except for one probe at each `openUntil`,
 * and its deliveries wait.
 */
export interface Breaker {
  /** Failed attempts in a row. */
  readonly failures: number;
  /** While open: when it opened. */
  readonly openedAt: Millis | null;
  /** While open: when the next probe is made. It also identifies that probe. */
  readonly openUntil: Millis | null;
  /** While open: the delay before the probe. */
  readonly wait: Millis | null;
  /** The probe that was due when the circuit last closed. Its message sends a drain that a dead worker did not send. */
  readonly closedBy: Millis | null;
  /** The first failure since the last success, and the failed attempts since. */
  readonly failingSince: Millis | null;
  readonly failedSince: number;
  /** The class of the newest failure since the last success. */
  readonly lastError: AttemptError | null;
  /** When its owner was warned. */
  readonly warnedAt: Millis | null;
  /** Until then its attempts are made on the slow deliveries queue, away from other endpoints' attempts. */
  readonly slowUntil: Millis | null;
}

export const CLOSED: Breaker = {
  failures: 0,
  openedAt: null,
  openUntil: null,
  wait: null,
  closedBy: null,
  failingSince: null,
  failedSince: 0,
  lastError: null,
  warnedAt: null,
  slowUntil: null,
};

export const breakerStates = ["closed", "open", "overdue"] as const;
/** `overdue`: still open, but its probe is late, so that the next attempt is made in the probe's place. */
export type BreakerState = (typeof breakerStates)[number];

export type BreakerTrigger =
  | "success"
  | "failure"
  | "failure_limit"
  | "probe_failure"
  | "probe_inconclusive"
  | "nothing_to_probe"
  | "probe_late";

type BreakerUpdate = (breaker: Breaker, failedAttempts: number, now: Millis) => Breaker;

/** Every change of a breaker, and what it does. A trigger without a row changes nothing. Only `probe_late` is not stored. */
export const breakerTransitions: readonly (readonly [BreakerState, BreakerTrigger, BreakerState, BreakerUpdate])[] = [
  ["closed", "success", "closed", recover],
  ["closed", "failure", "closed", countFailures],
  ["closed", "failure_limit", "open", open],
  ["open", "success", "closed", recover],
  ["open", "probe_failure", "open", reopen],
  ["open", "probe_inconclusive", "open", postpone],
  ["open", "nothing_to_probe", "closed", close],
  ["open", "probe_late", "overdue", (breaker) => breaker],
  ["overdue", "success", "closed", recover],
  ["overdue", "failure", "open", reopen],
  ["overdue", "probe_failure", "open", reopen],
  ["overdue", "probe_inconclusive", "open", postpone],
  ["overdue", "nothing_to_probe", "closed", close],
];

export function breakerState(breaker: Breaker, now: Millis): BreakerState {
  if (breaker.openUntil === null) return "closed";
  return now < breaker.openUntil + PROBE_OVERDUE ? "open" : "overdue";
}

/** An endpoint's results in one batch. The attempts ran concurrently, so one success resets the failures. */
export interface BatchResult {
  readonly succeeded: boolean;
  readonly failed: number;
  /** The class of the last failure among them. Absent without one. */
  readonly lastError?: AttemptError | null;
  /** How long the endpoint is slow because of them; 0 when none was slow. */
  readonly slowFor: Millis;
}

/** `neither`: the receiver was not called, or answered 410. */
export type AttemptResult = "succeeded" | "failed" | "neither";

export function attemptResult(outcome: AttemptOutcome): AttemptResult {
  if (outcome.kind === "refused_by_gate") return "neither";
  if (outcome.kind === "no_answer") return "failed";
  if (outcome.status === GONE) return "neither";
  return outcome.status >= 200 && outcome.status <= 299 ? "succeeded" : "failed";
}

/** How long an endpoint is slow after this outcome; 0 when it was in time. */
export function slowFor(outcome: AttemptOutcome): Millis {
  if (outcome.kind === "refused_by_gate") return 0;
  if (outcome.kind === "answered") return outcome.durationMs > MOVE_TO_SLOW_AFTER ? LATE_ANSWER_DURATION : 0;
  return outcome.durationMs > MOVE_TO_SLOW_AFTER || outcome.error === "timeout" ? SLOW_DURATION : 0;
}

/**
 * Whether the circuit is open now. Once the probe is overdue it counts as closed and the next attempt is made, so that a
 * lost probe does not stop delivery.
 */
export function isCircuitOpen(breaker: Breaker, now: Millis): boolean {
  return breakerState(breaker, now) === "open";
}

export function isSlow({ slowUntil }: Breaker, now: Millis): boolean {
  return slowUntil !== null && now < slowUntil;
}

/** The breaker after a batch's attempts; null when it does not change. */
export function onBatch(breaker: Breaker, batch: BatchResult, now: Millis): Breaker | null {
  const updated = applyBatch(breaker, batch, now);
  const next = updateSlow(updated, batch, now);
  return isSameBreaker(breaker, next) ? null : next;
}

/**
 * The breaker after its probe; null when it no longer waits for that probe.
 * @param probe the `openUntil` that the probe belongs to
 */
export function onProbe(breaker: Breaker, probe: Millis, outcome: AttemptOutcome, now: Millis): Breaker | null {
  if (breaker.openUntil !== probe) return null;
  const result = attemptResult(outcome);
  const next = applyProbe(breaker, result, now);
  return markSlow(result === "failed" ? withError(next, attemptError(outcome)) : next, slowFor(outcome), now);
}

/**
 * Closes the breaker when no delivery is left to probe with. The record of a failing endpoint remains. Null when the
 * breaker no longer waits for that probe.
 */
export function closeBreaker(breaker: Breaker, probe: Millis): Breaker | null {
  // At the instant of its probe the breaker is open.
  return breaker.openUntil === probe ? transition(breaker, "nothing_to_probe", 0, probe) : null;
}

/** The action for an endpoint whose every attempt fails: a warning after half of the time and attempts, then a pause. */
export function failureAction(
  { failingSince, failedSince, warnedAt }: Breaker,
  now: Millis,
): "warning" | "pause" | null {
  if (failingSince === null) return null;
  const failingFor = now - failingSince;
  if (failingFor >= AUTO_PAUSE_AFTER && failedSince >= AUTO_PAUSE_ATTEMPTS_MIN) return "pause";
  const half = failingFor >= AUTO_PAUSE_AFTER / 2 && failedSince >= AUTO_PAUSE_ATTEMPTS_MIN / 2;
  return half && warnedAt === null ? "warning" : null;
}

function transition(breaker: Breaker, trigger: BreakerTrigger, failedAttempts: number, now: Millis): Breaker {
  const state = breakerState(breaker, now);
  const update = breakerTransitions.find(([from, on]) => from === state && on === trigger)?.[3];
  return update ? update(breaker, failedAttempts, now) : breaker;
}

const probeTriggers = {
  succeeded: "success",
  failed: "probe_failure",
  neither: "probe_inconclusive",
} as const satisfies Record<AttemptResult, BreakerTrigger>;

function applyProbe(breaker: Breaker, result: AttemptResult, now: Millis): Breaker {
  return transition(breaker, probeTriggers[result], 1, now);
}

/** Failures while it is open come from attempts that started before it opened, and change nothing. */
function applyBatch(breaker: Breaker, { succeeded, failed, lastError }: BatchResult, now: Millis): Breaker {
  if (succeeded) return transition(breaker, "success", 0, now);
  if (failed === 0) return breaker;
  const isLimit = breaker.openUntil === null && breaker.failures + failed >= FAILURES_TO_OPEN;
  const next = transition(breaker, isLimit ? "failure_limit" : "failure", failed, now);
  return next === breaker ? breaker : withError(next, lastError);
}

function withError(breaker: Breaker, lastError: AttemptError | null | undefined): Breaker {
  return lastError ? { ...breaker, lastError } : breaker;
}

function countFailures(breaker: Breaker, failedAttempts: number, now: Millis): Breaker {
  return {
    ...breaker,
    failures: breaker.failures + failedAttempts,
    failingSince: breaker.failingSince ?? now,
    failedSince: breaker.failedSince + failedAttempts,
  };
}

function open(breaker: Breaker, failedAttempts: number, now: Millis): Breaker {
  const failed = countFailures(breaker, failedAttempts, now);
  return { ...failed, openedAt: now, wait: PROBE_WAIT_FIRST, openUntil: now + PROBE_WAIT_FIRST };
}

function reopen(breaker: Breaker, failedAttempts: number, now: Millis): Breaker {
  const wait = Math.min(2 * currentWait(breaker), PROBE_WAIT_MAX);
  return { ...countFailures(breaker, failedAttempts, now), wait, openUntil: now + wait };
}

function postpone(breaker: Breaker, _failedAttempts: number, now: Millis): Breaker {
  return { ...breaker, openUntil: now + currentWait(breaker) };
}

function close(breaker: Breaker): Breaker {
  return { ...breaker, failures: 0, openedAt: null, openUntil: null, wait: null, closedBy: breaker.openUntil };
}

function recover(breaker: Breaker): Breaker {
  return { ...CLOSED, slowUntil: breaker.slowUntil, closedBy: breaker.openUntil ?? breaker.closedBy };
}

/** Attempts in time leave at most the shorter mark. */
function updateSlow(breaker: Breaker, { succeeded, failed, slowFor }: BatchResult, now: Millis): Breaker {
  if (slowFor > 0) return markSlow(breaker, slowFor, now);
  const slowUntil = now + SLOW_DURATION;
  return (succeeded || failed > 0) && (breaker.slowUntil ?? 0) > slowUntil ? { ...breaker, slowUntil } : breaker;
}

/** Renews the mark when half of it is over, so that a slow endpoint is written every few minutes, not at each attempt. */
function markSlow(breaker: Breaker, duration: Millis, now: Millis): Breaker {
  return (breaker.slowUntil ?? 0) >= now + duration / 2 ? breaker : { ...breaker, slowUntil: now + duration };
}

function currentWait({ wait }: Breaker): Millis {
  return wait ?? PROBE_WAIT_FIRST;
}

function isSameBreaker(a: Breaker, b: Breaker): boolean {
  const names = Object.keys(CLOSED) as (keyof Breaker)[];
  return names.every((name) => a[name] === b[name]);
}
