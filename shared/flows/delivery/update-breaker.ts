import { type Breaker, failureAction } from "../../domain/delivery/breaker.ts";
import type { Endpoint } from "../../domain/webhooks/endpoints.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Endpoints } from "../../stores/webhooks/endpoints.ts";
import { drainTask, scheduleTask, type TaskPorts } from "./schedule.ts";

export interface BreakerPorts extends TaskPorts {
  readonly endpoints: Pick<Endpoints, "saveBreaker">;
}

/** A lost write is decided again. So many lost writes in a row indicate a defect. */
const ATTEMPTS_MAX = 8;

/**
 * Updates an endpoint's breaker by a rule and sends the tasks that follow. The probe is sent before the breaker opens: if
 * the process dies in between, the probe finds no open breaker and is dropped. If it dies after the breaker closed, the
 * pending probe sends the drain.
 * @param initial the endpoint as it was read
 * @param rule returns the new breaker; null for no change
 * @param after the next probe starts behind the event with this ULID
 * @throws when every write loses against a concurrent one
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
  tenant: TenantId,
  endpointId: string,
  before: Breaker,
  next: Breaker,
  now: Millis,
): Promise<void> {
  if (before.openUntil !== null && next.openUntil === null) {
    await scheduleTask(ports, drainTask(tenant, endpointId), now, now);
  }
  // Sent with each failure until one is processed, so that a lost message does no harm.
  if (next.failingSince !== null && failureAction(next, now)) {
    await scheduleTask(ports, { tenant, endpointId, kind: "warn", since: next.failingSince }, now, now);
  }
}
