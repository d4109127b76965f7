import type { Log } from "#base/aws/log.ts";
import type { AttemptOutcome } from "#base/kernel/attempt-outcome.ts";
import { errorClass } from "#base/kernel/error-class.ts";
import { SLOW_DURATION } from "#base/kernel/limits.ts";
import { allDone } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Endpoint } from "#features/webhooks/rules/endpoints.ts";
import type { Endpoints } from "#features/webhooks/store/endpoints.ts";
import { attemptResult, type BatchResult, type Breaker, failureAction, onBatch, slowFor } from "../rules/breaker.ts";
import { attemptError, deliveryId } from "../rules/deliveries.ts";
import { drainTask, scheduleTask, type TaskPorts } from "../schedule.ts";
import type { AttemptKey } from "../store/items.ts";

interface HealthPorts extends TaskPorts {
  readonly endpoints: Pick<Endpoints, "saveBreaker">;
  readonly log: Log;
}

/** An endpoint as it was read before it was called. */
interface CalledEndpoint {
  readonly tenant: TenantId;
  readonly endpoint: Endpoint;
}

/** The results of a batch's attempts, by endpoint id. */
export interface EndpointHealth {
  /** Saved once, at the batch's end. */
  readonly results: Map<string, CalledEndpoint & { readonly batchResult: BatchResult }>;
  /** Endpoints with an attempt that moved to the slow queue. Their saves have started. */
  readonly slow: Map<string, Promise<void>>;
}

export function newEndpointHealth(): EndpointHealth {
  return { results: new Map(), slow: new Map() };
}

export function recordAttempt(
  { results }: Pick<EndpointHealth, "results">,
  { tenant, endpoint }: CalledEndpoint,
  outcome: AttemptOutcome,
): void {
  const previous: BatchResult = results.get(endpoint.id)?.batchResult ?? { succeeded: false, failed: 0, slowFor: 0 };
  const result = attemptResult(outcome);
  const batchResult = {
    succeeded: previous.succeeded || result === "succeeded",
    failed: previous.failed + (result === "failed" ? 1 : 0),
    lastError: result === "failed" ? attemptError(outcome) : (previous.lastError ?? null),
    slowFor: Math.max(previous.slowFor, slowFor(outcome)),
  };
  results.set(endpoint.id, { tenant, endpoint, batchResult });
}

/**
 * Saves at once that an endpoint is slow. Every batch that starts before this is saved calls the endpoint, too, and waits
 * for it.
 */
function recordSlow(
  ports: HealthPorts,
  { slow }: Pick<EndpointHealth, "slow">,
  { tenant, endpoint }: CalledEndpoint,
  now: Millis,
): void {
  if (slow.has(endpoint.id)) return;
  slow.set(
    endpoint.id,
    saveResult(ports, { tenant, endpoint, now }, { succeeded: false, failed: 0, slowFor: SLOW_DURATION }),
  );
}

/** A batch that may move attempts to the slow queue. */
interface AttemptBatch {
  readonly now: () => Millis;
  readonly answerTimeout: Millis;
  readonly health: EndpointHealth | null;
}

/** An attempt that its batch does not wait for. */
interface UnansweredAttempt extends AttemptKey {
  readonly tenant: TenantId;
  readonly endpoint: Endpoint;
}

/**
 * Marks the endpoint as slow, so that later batches do not call it, and logs that the attempt moves to the slow queue.
 */
export function onUnanswered(
  ports: HealthPorts,
  { tenant, endpoint, eventUlid, attempt }: UnansweredAttempt,
  { health, now, answerTimeout }: AttemptBatch,
): void {
  if (health) recordSlow(ports, health, { tenant, endpoint }, now());
  ports.log({
    event: "delivery.handed_over",
    tenant,
    endpoint: endpoint.id,
    delivery: deliveryId(eventUlid, endpoint.id),
    attempt,
    unanswered_ms: answerTimeout,
  });
}

/** Saves the results that change a breaker. Never fails: a delivery must not be repeated because of it. */
export async function flushHealth(ports: HealthPorts, { results, slow }: EndpointHealth, now: Millis): Promise<void> {
  await allDone([...slow.values()]);
  await allDone(
    [...results.values()].map(({ batchResult, ...called }) => saveResult(ports, { ...called, now }, batchResult)),
  );
}

async function saveResult(ports: HealthPorts, update: BreakerUpdate, batchResult: BatchResult): Promise<void> {
  try {
    await updateBreaker(ports, update, (breaker) => onBatch(breaker, batchResult, update.now));
  } catch (error) {
    ports.log({ event: "breaker.save_failed", endpoint: update.endpoint.id, error: errorClass(error) });
  }
}

/** An update of an endpoint's breaker. */
interface BreakerUpdate extends CalledEndpoint {
  readonly now: Millis;
  /** The next probe starts behind the event with this ULID. */
  readonly after?: string | null;
}

/** A lost write is decided again. So many lost writes in a row indicate a defect. */
const ATTEMPTS_MAX = 8;

/**
 * Updates an endpoint's breaker by a rule and sends the tasks that follow. The probe is sent before the breaker opens: if
 * the process dies in between, the probe finds no open breaker and is dropped. If it dies after the breaker closed, the
 * pending probe sends the drain.
 * @param rule returns the new breaker; null for no change
 * @throws when every write loses against a concurrent one
 */
export async function updateBreaker(
  ports: HealthPorts,
  { tenant, endpoint: initial, now, after = null }: BreakerUpdate,
  rule: (breaker: Breaker) => Breaker | null,
): Promise<void> {
  const { id: endpointId } = initial;
  let endpoint = initial;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const { breaker } = endpoint;
    const next = rule(breaker);
    if (!next) return;
    if (next.openUntil !== null && next.openUntil !== breaker.openUntil) {
      const probe = { tenant, endpointId, kind: "probe", probe: next.openUntil, after } as const;
      await scheduleTask(ports, probe, next.openUntil, now);
    }
    const result = await ports.endpoints.saveBreaker(tenant, endpoint, next, now);
    if (result.applied && breaker.openUntil === null && next.openUntil !== null) {
      ports.log({ event: "metrics.counted", metrics: { CircuitsOpened: 1 } });
    }
    if (result.applied) return sendFollowUpTasks(ports, { tenant, endpoint, now }, next);
    if (!result.endpoint) return;
    // The drain makes each waiting delivery of a deleted endpoint fail.
    if (result.endpoint.status === "deleted") return scheduleTask(ports, drainTask(tenant, endpointId), now, now);
    // The attempts called another URL.
    if (result.endpoint.url !== initial.url) return;
    endpoint = result.endpoint;
  }
  throw new Error("Every write of the breaker lost against a concurrent write.");
}

async function sendFollowUpTasks(
  ports: HealthPorts,
  { tenant, endpoint, now }: BreakerUpdate,
  next: Breaker,
): Promise<void> {
  const { id: endpointId, breaker } = endpoint;
  if (breaker.openUntil !== null && next.openUntil === null) {
    await scheduleTask(ports, drainTask(tenant, endpointId), now, now);
  }
  // Sent with each failure until one is processed, so that a lost message does no harm.
  if (next.failingSince !== null && failureAction(next, now)) {
    await scheduleTask(ports, { tenant, endpointId, kind: "warn", since: next.failingSince }, now, now);
  }
}
