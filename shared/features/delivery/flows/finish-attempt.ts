import { eventId } from "#base/events/events.ts";
import type { AttemptOutcome } from "#base/kernel/attempt-outcome.ts";
import { ATTEMPTS_MAX, DRAIN_REPEAT_DELAY } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { isoOrNull, type Millis } from "#base/kernel/time.ts";
import { currentTrace } from "#base/kernel/trace.ts";
import { countDelivery, countMessage } from "#features/stats/count.ts";
import type { Endpoint } from "#features/webhooks/rules/endpoints.ts";
import type { DeliverPorts } from "../ports.ts";
import { type BreakerState, breakerState, isCircuitOpen, isSlow, slowFor } from "../rules/breaker.ts";
import { attemptError, deliveryId, type InitialStatus, type Verdict } from "../rules/deliveries.ts";
import { type RetryPorts, scheduleRetry } from "../schedule.ts";
import type { AttemptKey, DeliveryRow, NewDelivery } from "../store/delivery-items.ts";
import type { StoredDelivery } from "./attempt.ts";
import type { Batch } from "./batch.ts";
import { recordAttempt } from "./endpoint-health.ts";
import { pauseWhenGone, resumePauseWhenGone } from "./pause.ts";

/**
 * How old the reading of an open circuit may be when a row is written that waits for it. The second drain runs this long
 * and as long again after the circuit closed, so it finds the row.
 */
const CIRCUIT_READ_MAX_AGE: Millis = DRAIN_REPEAT_DELAY / 2;

interface AttemptEnd {
  /** Null when the endpoint was not called, or when no process saw how the call ended. */
  readonly outcome: AttemptOutcome | null;
  /** The attempt's worker died: the endpoint may have been called. */
  readonly abandoned?: boolean;
  readonly settledAt: Millis;
}

/** The end of a delivery's first attempt. Its row does not exist yet. */
interface FirstAttemptEnd extends AttemptEnd {
  readonly tenant: TenantId;
  readonly endpoint: Endpoint;
  readonly delivery: NewDelivery;
  readonly verdict: InitialStatus;
  /** No counter includes the event's message yet. */
  readonly uncounted: boolean;
}

/** The end of a retry or probe, which has claimed the delivery's row; or of a delivery whose event is gone. */
interface ClaimedAttemptEnd extends AttemptEnd, StoredDelivery {
  readonly verdict: Verdict;
}

/**
 * Ends a first attempt, a retry or a probe: records the outcome, logs it, counts it, schedules the next attempt, and
 * pauses an endpoint that answered 410. A process that dies after the record leaves the rest to the repeated message.
 * @returns false when the claim was lost; the existing row when another worker recorded the first attempt
 */
export async function finishAttempt(
  ports: DeliverPorts,
  end: FirstAttemptEnd | ClaimedAttemptEnd,
  { tally, health, now, startedAt }: Pick<Batch, "tally" | "health" | "now" | "startedAt">,
): Promise<true | false | DeliveryRow> {
  const { tenant, endpoint, outcome, verdict, settledAt } = end;
  if (endpoint && outcome && health) recordAttempt(health, { tenant, endpoint }, outcome);
  const recorded = await record(ports, end);
  logAttempt(ports, end, recorded === true);
  if (recorded !== true) return recorded;
  const delivery = "row" in end ? end.row : end.delivery;
  countDelivery(tally, tenant, delivery, verdict.status);
  if ("uncounted" in end && end.uncounted) countMessage(tally, tenant);
  const dueAt = nextAttemptAt(verdict, settledAt);
  if (dueAt !== null) {
    const wasSlow = health !== null && outcome !== null && slowFor(outcome) > 0;
    const slow = verdict.status === "pending" || wasSlow || isKnownSlow(endpoint, settledAt);
    await scheduleRetry(ports, { ...delivery, tenant, attempt: attemptNumber(end) + 1, slow }, dueAt, settledAt);
  } else if (verdict.status === "retrying" && now() - startedAt > CIRCUIT_READ_MAX_AGE) {
    const attempt = "row" in end ? end.row.attempt : 1;
    await scheduleUnlessOpen(ports, { ...delivery, tenant, attempt }, settledAt);
  }
  if (endpoint) await pauseWhenGone(ports, { tenant, delivery, url: endpoint.url, outcome, settledAt });
  return true;
}

/**
 * Completes what an earlier worker recorded but may not have followed up before it died.
 * @returns whether a next attempt was scheduled
 */
export async function resumeFinishedAttempt(
  ports: DeliverPorts,
  tenant: TenantId,
  row: DeliveryRow,
  now: Millis,
): Promise<boolean> {
  await resumePauseWhenGone(ports, tenant, row);
  const retry = { ...row, tenant, attempt: row.attempt + 1 };
  if (row.status !== "pending" && row.status !== "retrying") return false;
  const dueAt = row.status === "pending" ? now : row.nextRetryAt;
  if (dueAt === null) return scheduleUnlessOpen(ports, retry, now);
  await scheduleRetry(ports, retry, dueAt, now);
  return true;
}

/**
 * Schedules a delivery that waits for its endpoint, when the endpoint's circuit is not open any more: the drains may have
 * run before the row was written.
 * @returns whether it was scheduled
 */
async function scheduleUnlessOpen(
  ports: RetryPorts & Pick<DeliverPorts, "endpoints">,
  retry: AttemptKey & { readonly tenant: TenantId },
  now: Millis,
): Promise<boolean> {
  const endpoint = await ports.endpoints.get(retry.tenant, retry.endpointId);
  if (endpoint && endpoint.status !== "deleted" && isCircuitOpen(endpoint.breaker, now)) return false;
  await scheduleRetry(ports, retry, now, now);
  return true;
}

async function record(
  { deliveries }: Pick<DeliverPorts, "deliveries">,
  end: FirstAttemptEnd | ClaimedAttemptEnd,
): Promise<true | false | DeliveryRow> {
  if ("row" in end) {
    if (end.row.leaseUntil === null) return deliveries.failWaiting(end.tenant, end.row, end.settledAt);
    return deliveries.settleDelivery(end.tenant, end.row, end);
  }
  return (await deliveries.recordFirst(end.tenant, end.delivery, end)) ?? true;
}

function isKnownSlow(endpoint: Endpoint | null, now: Millis): boolean {
  return endpoint !== null && isSlow(endpoint.breaker, now);
}

/** When the next attempt is due; null when there is none, or when it waits for the endpoint. */
function nextAttemptAt(verdict: InitialStatus, settledAt: Millis): Millis | null {
  if (verdict.status === "pending") return settledAt;
  return verdict.status === "retrying" ? verdict.nextRetryAt : null;
}

/** 0 for a first attempt that was not made. */
function attemptNumber(end: FirstAttemptEnd | ClaimedAttemptEnd): number {
  if ("row" in end) return end.row.attempt;
  return end.outcome ? 1 : 0;
}

/** @param isRecorded false when another worker's result stands */
function logAttempt(
  { log }: Pick<DeliverPorts, "log">,
  end: FirstAttemptEnd | ClaimedAttemptEnd,
  isRecorded: boolean,
): void {
  const { tenant, endpoint, outcome, verdict, settledAt } = end;
  const { endpointId, eventUlid, eventType } = "row" in end ? end.row : end.delivery;
  const breaker: BreakerState | null = endpoint && breakerState(endpoint.breaker, settledAt);
  log({
    event: end.abandoned ? "delivery.abandoned" : outcome ? "delivery.attempted" : "delivery.not_attempted",
    tenant,
    endpoint: endpointId,
    event_id: eventId(eventUlid),
    event_type: eventType,
    delivery: deliveryId(eventUlid, endpointId),
    attempt: attemptNumber(end),
    attempts_max: ATTEMPTS_MAX,
    verdict: isRecorded ? verdict.status : "superseded",
    response_status: outcome?.kind === "answered" ? outcome.status : null,
    error: outcome ? attemptError(outcome) : null,
    duration_ms: outcome && outcome.kind !== "refused_by_gate" ? outcome.durationMs : null,
    next_retry_at: isRecorded ? isoOrNull(nextAttemptAt(verdict, settledAt)) : null,
    breaker,
    trace_id: currentTrace().traceId ?? null,
  });
}
