import type { Metrics } from "#base/config/metrics.ts";
import { eventId } from "#base/events/events.ts";
import { atStage } from "#base/kernel/attempt-stage.ts";
import { ulidTime } from "#base/kernel/ids.ts";
import { ATTEMPTS_MAX, DRAIN_REPEAT_DELAY } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { isoOrNull, type Millis } from "#base/kernel/time.ts";
import { currentTrace } from "#base/kernel/trace.ts";
import { countDelivery, countMessage } from "#features/stats/count.ts";
import type { CountedMessage } from "#features/stats/rules.ts";
import type { Endpoint } from "#features/webhooks/rules/endpoints.ts";
import type { DeliverPorts } from "../ports.ts";
import { type BreakerState, breakerState, isCircuitOpen, isSlow, slowFor } from "../rules/breaker.ts";
import { attemptError, deliveryId, type InitialStatus } from "../rules/deliveries.ts";
import { type RetryPorts, scheduleRetry } from "../schedule.ts";
import type { AttemptKey, DeliveryRow, NewDelivery } from "../store/items.ts";
import type { Batch, Judgement, StoredDelivery } from "./attempt.ts";
import { recordAttempt } from "./endpoint-health.ts";
import { pauseWhenGone, resumePauseWhenGone } from "./pause.ts";

/**
 * How old the reading of an open circuit may be when a row is written that waits for it. The second drain runs this long
 * and as long again after the circuit closed, so it finds the row.
 */
const CIRCUIT_READ_MAX_AGE: Millis = DRAIN_REPEAT_DELAY / 2;

interface AttemptEnd {
  /** The attempt's worker died: the endpoint may have been called. */
  readonly abandoned?: boolean;
  readonly settledAt: Millis;
}

/** A delivery's first attempt. Its row does not exist yet. */
interface JudgedFirstAttempt extends AttemptEnd, Judgement<InitialStatus> {
  readonly tenant: TenantId;
  readonly endpoint: Endpoint;
  readonly delivery: NewDelivery;
  /** The event's message, if no counter includes it yet. */
  readonly uncounted: CountedMessage | null;
  /** When the webhook arrived that the event is of. */
  readonly receivedAt?: Millis | undefined;
}

/** A retry or probe, which has claimed the delivery's row; or a delivery whose event is gone. */
interface JudgedClaimedAttempt extends AttemptEnd, Judgement, StoredDelivery {}

/** An attempt whose verdict is not stored. Its outcome is null, too, when no process saw how the call ended. */
type JudgedAttempt = JudgedFirstAttempt | JudgedClaimedAttempt;

export type RecordedAttempt =
  | { readonly kind: "recorded"; readonly attempt: JudgedAttempt }
  /** Another worker recorded the first attempt: its row. */
  | { readonly kind: "superseded"; readonly row: DeliveryRow }
  /** Another worker's result stands, or the row waits no more. */
  | { readonly kind: "claim_lost" };

/**
 * Ends a first attempt, a retry or a probe: records the outcome, logs it, counts it, schedules the next attempt, and
 * pauses an endpoint that answered 410. A process that dies after the record leaves the rest to the repeated message.
 */
export async function finishAttempt(
  ports: DeliverPorts,
  judged: JudgedAttempt,
  batch: Pick<Batch, "tally" | "health" | "now" | "startedAt">,
): Promise<RecordedAttempt> {
  const { tenant, endpoint, outcome } = judged;
  if (endpoint && outcome && batch.health) recordAttempt(batch.health, { tenant, endpoint }, outcome);
  const recorded = await atStage("record", record(ports, judged));
  logAttempt(ports, judged, recorded.kind === "recorded");
  if (recorded.kind === "recorded") countAttempt(ports, judged);
  if (recorded.kind === "recorded") await atStage("follow_up", followUp(ports, recorded, batch));
  return recorded;
}

async function followUp(
  ports: DeliverPorts,
  { attempt: judged }: Extract<RecordedAttempt, { kind: "recorded" }>,
  { tally, health, now, startedAt }: Pick<Batch, "tally" | "health" | "now" | "startedAt">,
): Promise<void> {
  const { tenant, endpoint, outcome, verdict, settledAt } = judged;
  const delivery = "row" in judged ? judged.row : judged.delivery;
  countDelivery(tally, tenant, delivery, verdict.status);
  if ("uncounted" in judged && judged.uncounted) countMessage(tally, tenant, judged.uncounted);
  const dueAt = nextAttemptAt(verdict, settledAt);
  if (dueAt !== null) {
    const wasSlow = health !== null && outcome !== null && slowFor(outcome) > 0;
    const slow = verdict.status === "pending" || wasSlow || isKnownSlow(endpoint, settledAt);
    await scheduleRetry(ports, { ...delivery, tenant, attempt: attemptNumber(judged) + 1, slow }, dueAt, settledAt);
  } else if (verdict.status === "retrying" && now() - startedAt > CIRCUIT_READ_MAX_AGE) {
    const attempt = "row" in judged ? judged.row.attempt : 1;
    await scheduleUnlessOpen(ports, { ...delivery, tenant, attempt }, settledAt);
  }
  if (endpoint) await pauseWhenGone(ports, { tenant, delivery, url: endpoint.url, outcome, settledAt });
}

/**
 * Completes what an earlier worker recorded but may not have followed up before it died.
 * @returns whether a next attempt was scheduled
 */
export function resumeFinishedAttempt(
  ports: DeliverPorts,
  tenant: TenantId,
  row: DeliveryRow,
  now: Millis,
): Promise<boolean> {
  return atStage("follow_up", resumeRecorded(ports, tenant, row, now));
}

async function resumeRecorded(ports: DeliverPorts, tenant: TenantId, row: DeliveryRow, now: Millis): Promise<boolean> {
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
  judged: JudgedAttempt,
): Promise<RecordedAttempt> {
  if ("delivery" in judged) {
    const row = await deliveries.recordFirst(judged.tenant, judged.delivery, judged);
    return row ? { kind: "superseded", row } : { kind: "recorded", attempt: judged };
  }
  const { tenant, row, settledAt } = judged;
  const isStored =
    row.leaseUntil === null
      ? await deliveries.failWaiting(tenant, row, settledAt)
      : await deliveries.settleDelivery(tenant, row, judged);
  return isStored ? { kind: "recorded", attempt: judged } : { kind: "claim_lost" };
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
function attemptNumber(judged: JudgedAttempt): number {
  if ("row" in judged) return judged.row.attempt;
  return judged.outcome ? 1 : 0;
}

/** Counts an attempt whose verdict this process has stored, so that no other one counts it. */
function countAttempt({ log }: Pick<DeliverPorts, "log">, judged: JudgedAttempt): void {
  const { outcome, verdict, settledAt } = judged;
  const { eventUlid } = "row" in judged ? judged.row : judged.delivery;
  // Without the time of the webhook, such as in a retry: an event is created when it is stored.
  const since = ("receivedAt" in judged ? judged.receivedAt : undefined) ?? ulidTime(eventUlid);
  const metrics: Metrics = {
    ...(outcome && attemptNumber(judged) > 1 ? { Retries: 1 } : {}),
    ...(verdict.status === "delivered" ? { Delivered: 1, DeliveryLatency: Math.max(0, settledAt - since) } : {}),
  };
  if (Object.keys(metrics).length > 0) log({ event: "metrics.counted", metrics });
}

/** @param isRecorded false when another worker's result stands */
function logAttempt({ log }: Pick<DeliverPorts, "log">, judged: JudgedAttempt, isRecorded: boolean): void {
  const { tenant, endpoint, outcome, verdict, settledAt } = judged;
  const { endpointId, eventUlid, eventType } = "row" in judged ? judged.row : judged.delivery;
  const breaker: BreakerState | null = endpoint && breakerState(endpoint.breaker, settledAt);
  log({
    event: judged.abandoned ? "delivery.abandoned" : outcome ? "delivery.attempted" : "delivery.not_attempted",
    tenant,
    endpoint: endpointId,
    event_id: eventId(eventUlid),
    event_type: eventType,
    delivery: deliveryId(eventUlid, endpointId),
    attempt: attemptNumber(judged),
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
