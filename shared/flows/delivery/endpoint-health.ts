import type { Log } from "../../aws/log.ts";
import { type Attempts, afterAttempts, resultOf, wasSlow } from "../../domain/delivery/breaker.ts";
import type { AttemptOutcome } from "../../domain/delivery/deliveries.ts";
import type { Endpoint } from "../../domain/webhooks/endpoints.ts";
import { errorClass } from "../../kernel/error-class.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { type BreakerPorts, moveBreaker } from "./update-breaker.ts";

export type WatchPorts = BreakerPorts & { readonly log: Log };

interface Watched {
  readonly tenant: TenantId;
  readonly endpoint: Endpoint;
  readonly attempts: Attempts;
}

/** What a batch's attempts came to for each endpoint, by the endpoints' ids. */
export interface Watch {
  /** To be written down once, at the batch's end. */
  readonly seen: Map<string, Watched>;
  /** Those that were found slow while their attempts were under way: that is being written down at once. */
  readonly slow: Map<string, Promise<void>>;
}

export function newWatch(): Watch {
  return { seen: new Map(), slow: new Map() };
}

export function noteAttempt(
  { seen }: Pick<Watch, "seen">,
  tenant: TenantId,
  endpoint: Endpoint,
  outcome: AttemptOutcome,
): void {
  const known = seen.get(endpoint.id)?.attempts ?? { succeeded: false, failed: 0, slow: false };
  const result = resultOf(outcome);
  const attempts = {
    succeeded: known.succeeded || result === "succeeded",
    failed: known.failed + (result === "failed" ? 1 : 0),
    slow: known.slow || wasSlow(outcome),
  };
  seen.set(endpoint.id, { tenant, endpoint, attempts });
}

/**
 * An attempt is under way for so long that its endpoint is slow. Others are told before it ends: each batch that came
 * until then would wait for its receiver, too.
 */
export function noteSlow(ports: WatchPorts, watch: Watch, tenant: TenantId, endpoint: Endpoint, now: Millis): void {
  if (watch.slow.has(endpoint.id)) return;
  const attempts = { succeeded: false, failed: 0, slow: true };
  watch.slow.set(endpoint.id, keep(ports, { tenant, endpoint, attempts }, now));
}

/** Writes a batch's attempts down where they change anything. Never fails: no delivery is made again for it. */
export async function keepWatch(ports: WatchPorts, { seen, slow }: Watch, now: Millis): Promise<void> {
  await Promise.all(slow.values());
  await Promise.all([...seen.values()].map((watched) => keep(ports, watched, now)));
}

async function keep(ports: WatchPorts, { tenant, endpoint, attempts }: Watched, now: Millis): Promise<void> {
  try {
    await moveBreaker(ports, tenant, endpoint, (breaker) => afterAttempts(breaker, attempts, now), now);
  } catch (error) {
    ports.log({ event: "watching_failed", endpoint: endpoint.id, error: errorClass(error) });
  }
}
