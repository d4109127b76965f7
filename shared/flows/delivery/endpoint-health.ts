import type { Log } from "../../aws/log.ts";
import {
  attemptResult,
  type BatchResult,
  type Breaker,
  failureAction,
  onBatch,
  wasSlow,
} from "../../domain/delivery/breaker.ts";
import type { AttemptOutcome } from "../../domain/delivery/deliveries.ts";
import type { Endpoint } from "../../domain/webhooks/endpoints.ts";
import { errorClass } from "../../kernel/error-class.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Endpoints } from "../../stores/webhooks/endpoints.ts";
import { drainTask, scheduleTask, type TaskPorts } from "./schedule.ts";

interface BreakerPorts extends TaskPorts {
  readonly endpoints: Pick<Endpoints, "saveBreaker">;
}

type HealthPorts = BreakerPorts & { readonly log: Log };

/** An endpoint as it was read before it was called. */
interface CalledEndpoint {
  readonly tenant: TenantId;
  readonly endpoint: Endpoint;
}

/** The results of a batch's attempts, by endpoint id. */
export interface EndpointHealth {
  /** Saved once, at the batch's end. */
  readonly results: Map<string, CalledEndpoint & { readonly batchResult: BatchResult }>;
  /** Endpoints that turned out slow during an attempt. Their saves have started. */
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
  const previous = results.get(endpoint.id)?.batchResult ?? { succeeded: false, failed: 0, slow: false };
  const result = attemptResult(outcome);
  const batchResult = {
    succeeded: previous.succeeded || result === "succeeded",
    failed: previous.failed + (result === "failed" ? 1 : 0),
    slow: previous.slow || wasSlow(outcome),
  };
  results.set(endpoint.id, { tenant, endpoint, batchResult });
}

/**
 * Saves that an endpoint is slow while its attempt is still running. Every batch that starts before the attempt ends would
 * otherwise wait for the same receiver.
 */
export function recordSlow(
  ports: HealthPorts,
  { slow }: Pick<EndpointHealth, "slow">,
  { tenant, endpoint }: CalledEndpoint,
  now: Millis,
): void {
  if (slow.has(endpoint.id)) return;
  slow.set(endpoint.id, saveResult(ports, { tenant, endpoint, now }, { succeeded: false, failed: 0, slow: true }));
}

/** Saves the results that change a breaker. Never fails: a delivery must not be repeated because of it. */
export async function flushHealth(ports: HealthPorts, { results, slow }: EndpointHealth, now: Millis): Promise<void> {
  await Promise.all(slow.values());
  await Promise.all(
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
  ports: BreakerPorts,
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
  ports: BreakerPorts,
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
