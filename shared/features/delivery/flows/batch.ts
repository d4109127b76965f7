import { ATTEMPT_TIMEOUT, MOVE_TO_SLOW_AFTER } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { newTally, type Tally } from "#features/stats/count.ts";
import type { Endpoint } from "#features/webhooks/rules/endpoints.ts";
import type { DeliverPorts } from "../ports.ts";
import { type EndpointHealth, newEndpointHealth } from "./endpoint-health.ts";

/** One batch of queue messages: its clock, and what its attempts add up to, which is written once, at the batch's end. */
export interface Batch {
  readonly now: () => Millis;
  /** Before its first read. */
  readonly startedAt: Millis;
  /** It comes from the slow deliveries queue. */
  readonly slow: boolean;
  /** The time limit of each call. Only a slow batch waits for a slow receiver. */
  readonly attemptTimeout: Millis;
  /** Endpoints that were read again, by id. */
  readonly rereads: Map<string, Promise<Endpoint | null>>;
  readonly tally: Tally;
  /** Null for a probe, which updates its breaker itself, and for an attempt that no process saw end. */
  readonly health: EndpointHealth | null;
}

export function newBatch(now: () => Millis, slow: boolean): Batch & { readonly health: EndpointHealth } {
  const attemptTimeout = slow ? ATTEMPT_TIMEOUT : MOVE_TO_SLOW_AFTER;
  return {
    now,
    startedAt: now(),
    slow,
    attemptTimeout,
    rereads: new Map(),
    tally: newTally(),
    health: newEndpointHealth(),
  };
}

/** Reads an endpoint consistently, once per batch: the list of a tenant's endpoints may be older than the last write. */
export function rereadEndpoint(
  { endpoints }: Pick<DeliverPorts, "endpoints">,
  { rereads }: Pick<Batch, "rereads">,
  { tenant, endpointId }: { readonly tenant: TenantId; readonly endpointId: string },
): Promise<Endpoint | null> {
  const reread = rereads.get(endpointId) ?? endpoints.get(tenant, endpointId);
  rereads.set(endpointId, reread);
  return reread;
}
