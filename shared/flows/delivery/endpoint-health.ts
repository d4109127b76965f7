import type { Log } from "../../aws/log.ts";
import { attemptResult, type BatchResult, onBatch, wasSlow } from "../../domain/delivery/breaker.ts";
import type { AttemptOutcome } from "../../domain/delivery/deliveries.ts";
import type { Endpoint } from "../../domain/webhooks/endpoints.ts";
import { errorClass } from "../../kernel/error-class.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { type BreakerPorts, updateBreaker } from "./update-breaker.ts";

export type HealthPorts = BreakerPorts & { readonly log: Log };

interface EndpointResult {
  readonly tenant: TenantId;
  readonly endpoint: Endpoint;
  readonly batchResult: BatchResult;
}

/** The results of a batch's attempts, by endpoint id. */
export interface EndpointHealth {
  /** Saved once, at the batch's end. */
  readonly results: Map<string, EndpointResult>;
  /** Endpoints that turned out slow during an attempt. Their saves have started. */
  readonly slow: Map<string, Promise<void>>;
}

export function newEndpointHealth(): EndpointHealth {
  return { results: new Map(), slow: new Map() };
}

export function recordAttempt(
  { results }: Pick<EndpointHealth, "results">,
  tenant: TenantId,
  endpoint: Endpoint,
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
  health: EndpointHealth,
  tenant: TenantId,
  endpoint: Endpoint,
  now: Millis,
): void {
  if (health.slow.has(endpoint.id)) return;
  const batchResult = { succeeded: false, failed: 0, slow: true };
  health.slow.set(endpoint.id, saveHealth(ports, { tenant, endpoint, batchResult }, now));
}

/** Saves the results that change a breaker. Never fails: a delivery must not be repeated because of it. */
export async function flushHealth(ports: HealthPorts, { results, slow }: EndpointHealth, now: Millis): Promise<void> {
  await Promise.all(slow.values());
  await Promise.all([...results.values()].map((result) => saveHealth(ports, result, now)));
}

async function saveHealth(
  ports: HealthPorts,
  { tenant, endpoint, batchResult }: EndpointResult,
  now: Millis,
): Promise<void> {
  try {
    await updateBreaker(ports, tenant, endpoint, (breaker) => onBatch(breaker, batchResult, now), now);
  } catch (error) {
    ports.log({ event: "breaker.save_failed", endpoint: endpoint.id, error: errorClass(error) });
  }
}
