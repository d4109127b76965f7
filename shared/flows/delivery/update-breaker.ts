import { type Breaker, failureAction } from "../../domain/delivery/breaker.ts";
import type { Endpoint } from "../../domain/webhooks/endpoints.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Endpoints } from "../../stores/webhooks/endpoints.ts";
import { drainTask, scheduleTask, type TaskPorts } from "./schedule.ts";

export interface BreakerPorts extends TaskPorts {
  readonly endpoints: Pick<Endpoints, "saveBreaker">;
}

/** Whoever meets another's write thinks again; so many in a row mean that something is wrong. */
const ATTEMPTS_MAX = 8;

/**
 * Changes what is known of an endpoint by a rule, and sees to what follows. The message of a probe is sent before the
 * breaker opens for it: should the process die between the two, that message finds no breaker open for it. What follows
 * from closing is found by the message of the probe that was due.
 * @param initial the endpoint as it was read
 * @param rule the breaker as it is to be; null when it is to stay
 * @param after the next probe tries the event after this one
 * @throws when others change the endpoint again and again
 */
export async function updateBreaker(
  ports: BreakerPorts,
  tenant: TenantId,
  initial: Endpoint,
  rule: (breaker: Breaker) => Breaker | null,
  now: Millis,
  after: string | null = null,
): Promise<void> {
  const { id: endpointId } = initial;
  let endpoint = initial;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const { breaker } = endpoint;
    const next = rule(breaker);
    if (!next) return;
    if (next.openUntil !== null && next.openUntil !== breaker.openUntil) {
      await scheduleTask(
        ports,
        { tenant, endpointId, kind: "probe", probe: next.openUntil, after },
        next.openUntil,
        now,
      );
    }
    const result = await ports.endpoints.saveBreaker(tenant, endpoint, next, now);
    if (result.applied) return sendFollowUpTasks(ports, tenant, endpointId, breaker, next, now);
    if (!result.endpoint) return;
    // What waits for a deleted endpoint fails, each delivery by itself.
    if (result.endpoint.status === "deleted") return scheduleTask(ports, drainTask(tenant, endpointId), now, now);
    // What the attempts said was about another address.
    if (result.endpoint.url !== initial.url) return;
    endpoint = result.endpoint;
  }
  throw new Error("An endpoint was written by others each time.");
}

async function sendFollowUpTasks(
  ports: BreakerPorts,
  tenant: TenantId,
  endpointId: string,
  before: Breaker,
  next: Breaker,
  now: Millis,
): Promise<void> {
  if (before.openUntil !== null && next.openUntil === null) {
    await scheduleTask(ports, drainTask(tenant, endpointId), now, now);
  }
  // Sent with each failure until it is seen to: nothing is lost when one of them is.
  if (next.failingSince !== null && failureAction(next, now)) {
    await scheduleTask(ports, { tenant, endpointId, kind: "warn", since: next.failingSince }, now, now);
  }
}
