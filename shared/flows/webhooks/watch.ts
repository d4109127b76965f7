import type { Log } from "../../aws/log.ts";
import { type Attempts, afterAttempts, resultOf, wasSlow } from "../../domain/breaker.ts";
import type { AttemptOutcome } from "../../domain/deliveries.ts";
import type { Endpoint } from "../../domain/endpoints.ts";
import { errorClass } from "../../kernel/error-class.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { type BreakerPorts, moveBreaker } from "./move-breaker.ts";

interface Watched {
  readonly tenant: TenantId;
  readonly endpoint: Endpoint;
  readonly attempts: Attempts;
}

/** What a batch's attempts came to for each endpoint, to be written down once, at its end. */
export type Watch = Map<string, Watched>;

export function newWatch(): Watch {
  return new Map();
}

export function noteAttempt(watch: Watch, tenant: TenantId, endpoint: Endpoint, outcome: AttemptOutcome): void {
  const known = watch.get(endpoint.id)?.attempts ?? { succeeded: false, failed: 0, slow: false };
  const result = resultOf(outcome);
  const attempts = {
    succeeded: known.succeeded || result === "succeeded",
    failed: known.failed + (result === "failed" ? 1 : 0),
    slow: known.slow || wasSlow(outcome),
  };
  watch.set(endpoint.id, { tenant, endpoint, attempts });
}

/** Writes a batch's attempts down where they change anything. Never fails: no delivery is made again for it. */
export async function keepWatch(ports: BreakerPorts & { readonly log: Log }, watch: Watch, now: Millis): Promise<void> {
  await Promise.all(
    [...watch.values()].map(async ({ tenant, endpoint, attempts }) => {
      try {
        await moveBreaker(ports, tenant, endpoint, (breaker) => afterAttempts(breaker, attempts, now), now);
      } catch (error) {
        ports.log({ event: "watching_failed", endpoint: endpoint.id, error: errorClass(error) });
      }
    }),
  );
}
