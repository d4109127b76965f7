import type { EventType } from "#base/events/events.ts";
import type { AttemptOutcome } from "#base/kernel/attempt-outcome.ts";
import { hmacSha256 } from "#base/kernel/bytes.ts";
import { isUlid } from "#base/kernel/ids.ts";
import { ATTEMPTS_MAX, RETENTION, RETRY_AFTER_MAX, RETRY_DELAYS, RETRY_JITTER } from "#base/kernel/limits.ts";
import type { Millis } from "#base/kernel/time.ts";

/** The signature headers of one attempt. Every attempt is signed again, with each valid secret. */
export interface SignedHeaders {
  readonly "svc-signature": string;
  readonly "svc-timestamp": string;
  readonly "webhook-id": string;
  readonly "webhook-timestamp": string;
  readonly "webhook-signature": string;
}

/**
 * Signs a delivery in both formats.
 * - `Svc-Signature: v1=<hex>[,v1=<hex>]` over `<timestamp>.<body>`, keyed with the whole `whs_…` string.
 * - Standard Webhooks: `webhook-signature: v1,<base64>[ v1,<base64>]` over `<id>.<timestamp>.<body>`, keyed with the
 *   bytes behind the prefix.
 * @param secrets the primary first, then the one still valid after a rotation
 */
export function signWebhook(secrets: readonly string[], eventId: string, body: string, now: Millis): SignedHeaders {
  const timestamp = String(Math.floor(now / 1000));
  const svcSignatures = secrets.map((secret) => `v1=${hmacSha256(secret, `${timestamp}.${body}`).toString("hex")}`);
  const standardSignatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice("whs_".length), "base64");
    return `v1,${hmacSha256(key, `${eventId}.${timestamp}.${body}`).toString("base64")}`;
  });
  return {
    "svc-signature": svcSignatures.join(","),
    "svc-timestamp": timestamp,
    "webhook-id": eventId,
    "webhook-timestamp": timestamp,
    "webhook-signature": standardSignatures.join(" "),
  };
}

export const deliveryStatuses = ["pending", "attempting", "retrying", "delivered", "failed", "blocked", "dlq"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/**
 * - `first_attempt`: the first attempt is recorded with its outcome, or moved to the deliveries queue
 * - `await`: the row is written before its first attempt
 * - `claim`: a worker starts the next attempt; `settle`: the worker records its outcome
 * - `continue`: a worker continues a claim that was not given back and by which no worker called the endpoint
 * - `release`: the worker gives its claim back, and the attempt does not count
 * - `abandon`: the attempt's message could not be processed
 * - `event_gone`: the event came again without a body: it was unsent or erased, or is past its retention
 * - `replay`, `forced_replay`: the delivery restarts with all attempts
 */
export type DeliveryTrigger =
  | "first_attempt"
  | "await"
  | "claim"
  | "continue"
  | "settle"
  | "release"
  | "abandon"
  | "event_gone"
  | "replay"
  | "forced_replay";

/** Every allowed change of a delivery's status. The store's conditions are made from this table. */
export const deliveryTransitions: readonly (readonly [DeliveryStatus | "none", DeliveryTrigger, DeliveryStatus])[] = [
  ["none", "first_attempt", "delivered"],
  ["none", "first_attempt", "retrying"],
  ["none", "first_attempt", "dlq"],
  ["none", "first_attempt", "failed"],
  ["none", "first_attempt", "blocked"],
  ["none", "first_attempt", "pending"],
  ["none", "await", "pending"],
  ["pending", "claim", "attempting"],
  ["retrying", "claim", "attempting"],
  ["attempting", "continue", "attempting"],
  ["attempting", "settle", "delivered"],
  ["attempting", "settle", "retrying"],
  ["attempting", "settle", "dlq"],
  ["attempting", "settle", "failed"],
  ["attempting", "settle", "blocked"],
  ["attempting", "release", "pending"],
  ["attempting", "release", "retrying"],
  ["pending", "abandon", "dlq"],
  ["attempting", "abandon", "dlq"],
  ["retrying", "abandon", "dlq"],
  ["pending", "event_gone", "failed"],
  ["retrying", "event_gone", "failed"],
  ["dlq", "replay", "pending"],
  ["failed", "replay", "pending"],
  ["blocked", "replay", "pending"],
  ["dlq", "forced_replay", "pending"],
  ["failed", "forced_replay", "pending"],
  ["blocked", "forced_replay", "pending"],
  ["delivered", "forced_replay", "pending"],
];

/** The statuses from which a trigger may change a row. */
export function deliveryStatusesBefore(trigger: DeliveryTrigger): DeliveryStatus[] {
  return deliveryStatuses.filter((status) =>
    deliveryTransitions.some(([from, by]) => from === status && by === trigger),
  );
}

/** The statuses that a summary of an endpoint's failures can include. */
export const failingStatuses = ["dlq", "failed", "blocked", "retrying"] as const;
export type FailingStatus = (typeof failingStatuses)[number];

/** The statuses that a replay of a window can include. */
export const replayableStatuses = ["dlq", "failed", "blocked", "delivered"] as const;
export type ReplayableStatus = (typeof replayableStatuses)[number];

/** Whether a delivery can be replayed: not while its attempts continue, and a delivered one only with `force`. */
export function mayReplay(status: DeliveryStatus, force: boolean): boolean {
  return deliveryStatusesBefore(force ? "forced_replay" : "replay").includes(status);
}

/** 410 Gone: the receiver wants no more deliveries. */
export const GONE = 410;

/** The class of an attempt's failure, never an address or a receiver's text. */
export const attemptErrors = ["timeout", "connect", "tls", "dns", "status", "too_large", "gate"] as const;
export type AttemptError = (typeof attemptErrors)[number];

/** The delivery's status after an outcome. A retry without a time waits for its endpoint. */
export type Verdict =
  | { readonly status: "delivered" }
  | { readonly status: "retrying"; readonly nextRetryAt: Millis | null }
  | { readonly status: "dlq" }
  | { readonly status: "failed" }
  | { readonly status: "blocked" };

/** The first status of a delivery: the verdict of its first attempt, or `pending`. */
export type InitialStatus = Verdict | { readonly status: "pending" };

/** The delivery waits until its endpoint's circuit closes. */
export const waitingForEndpoint = { status: "retrying", nextRetryAt: null } as const satisfies Verdict;

/** Whether an attempt counts toward the delivery's ten: not when the gate refused it, and not a failed probe. */
export function spendsAttempt(verdict: Verdict): boolean {
  return verdict.status !== "blocked" && !(verdict.status === "retrying" && verdict.nextRetryAt === null);
}

export interface Delivery {
  readonly endpointId: string;
  readonly eventUlid: string;
  readonly eventType: EventType;
  readonly status: DeliveryStatus;
  /** Attempts started so far. */
  readonly attempt: number;
  readonly nextRetryAt: Millis | null;
  /** While attempting: when the worker's lease expires. */
  readonly leaseUntil: Millis | null;
  readonly lastResponseStatus: number | null;
  readonly lastError: AttemptError | null;
  readonly lastDurationMs: number | null;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}

/** The attempt that a verdict is about. */
interface JudgedAttempt {
  /** Its number, from 1. */
  readonly attempt: number;
  /** The event's time: a retry beyond the body's retention becomes `dlq` at once. */
  readonly createdAt: Millis;
  readonly now: Millis;
  /** A random number in [0, 1). */
  readonly jitter: number;
}

/** The verdict on an attempt's outcome. */
export function judgeAttempt(outcome: AttemptOutcome, judgedAttempt: JudgedAttempt): Verdict {
  if (outcome.kind === "refused_by_gate") return { status: "blocked" };
  if (outcome.kind === "answered" && outcome.status >= 200 && outcome.status <= 299) return { status: "delivered" };
  if (outcome.kind === "answered" && outcome.status === GONE) return { status: "failed" };
  return retryOrAbandon(judgedAttempt, retryAfterDelay(outcome));
}

/** The verdict on an attempt whose worker died. The call may have been made, so the attempt counts as a failed one. */
export function judgeAbandoned(judgedAttempt: JudgedAttempt): Verdict {
  return retryOrAbandon(judgedAttempt, 0);
}

function retryOrAbandon({ attempt, createdAt, now, jitter }: JudgedAttempt, delayMin: Millis): Verdict {
  const delay = RETRY_DELAYS[attempt - 1];
  if (attempt >= ATTEMPTS_MAX || delay === undefined) return { status: "dlq" };
  const nextRetryAt = now + Math.max(Math.round(delay * (1 + RETRY_JITTER * jitter)), delayMin);
  return nextRetryAt >= createdAt + RETENTION ? { status: "dlq" } : { status: "retrying", nextRetryAt };
}

/**
 * Whether a delivery waits for an attempt that no queue message will make. While the circuit is open messages are dropped,
 * so only a delivery with a retry time in the future still has one.
 */
export function isWaiting(row: Pick<Delivery, "status" | "nextRetryAt" | "leaseUntil">, now: Millis): boolean {
  switch (row.status) {
    case "pending":
    case "retrying":
      return row.nextRetryAt === null || row.nextRetryAt <= now;
    // Its worker died.
    case "attempting":
      return row.leaseUntil !== null && row.leaseUntil <= now;
    default:
      return false;
  }
}

/** Whether the receiver answered 410. */
export function isGone(status: DeliveryStatus, lastResponseStatus: number | null): boolean {
  return status === "failed" && lastResponseStatus === GONE;
}

function retryAfterDelay(outcome: AttemptOutcome): Millis {
  if (outcome.kind !== "answered" || (outcome.status !== 429 && outcome.status !== 503)) return 0;
  return Math.min(outcome.retryAfter ?? 0, RETRY_AFTER_MAX);
}

/** The failure class of an outcome; null for a success. */
export function attemptError(outcome: AttemptOutcome): AttemptError | null {
  if (outcome.kind === "refused_by_gate") return "gate";
  if (outcome.kind === "no_answer") return outcome.error;
  return outcome.status >= 200 && outcome.status <= 299 ? null : "status";
}

/** One id per event and endpoint, the same for every attempt and replay. */
export function deliveryId(eventUlid: string, endpointId: string): string {
  return `dlv_${eventUlid}_${endpointId}`;
}

export function parseDeliveryId(id: string): { eventUlid: string; endpointId: string } | null {
  const [kind, eventUlid, endpointId, ...rest] = id.split("_");
  if (kind !== "dlv" || !eventUlid || !endpointId || rest.length > 0) return null;
  return isUlid(eventUlid) && isUlid(endpointId) ? { eventUlid, endpointId } : null;
}
