import { DRAIN_PAGE_DELAY, DRAIN_PAGE_FIRST, DRAIN_PAGE_MAX, DRAIN_REPEAT_DELAY } from "#base/kernel/limits.ts";
import type { Millis } from "#base/kernel/time.ts";
import { traceField } from "#base/kernel/trace.ts";
import { done, drop, type RecordOutcome } from "#base/queues/record-outcome.ts";
import type { DeliverPorts } from "../ports.ts";
import type { DrainTask } from "../queue.ts";
import { isCircuitOpen, isSlow } from "../rules/breaker.ts";
import { retryMessage, scheduleTask } from "../schedule.ts";
import type { DeliveryRow } from "../store/items.ts";

/** The attempt that a waiting row waits for. When its worker died, it is the attempt that the row has claimed. */
export function nextAttemptNumber(row: DeliveryRow): number {
  return row.status === "attempting" ? row.attempt : row.attempt + 1;
}

/**
 * Queues one page of an endpoint's waiting deliveries, oldest event first, and schedules the next page. Each delivery is
 * then attempted, or blocked when the endpoint is paused. Safe to repeat: the attempt number drops a delivery that was
 * queued twice. The drain stops when the circuit opens again.
 */
export async function drainEndpoint(
  ports: Pick<DeliverPorts, "endpoints" | "deliveries" | "retries" | "slowRetries" | "due">,
  task: DrainTask,
  now: Millis,
): Promise<RecordOutcome> {
  const { tenant, endpointId, after, repeat } = task;
  const endpoint = await ports.endpoints.get(tenant, endpointId);
  if (!endpoint) return drop("stale");
  const isActive = endpoint.status === "active";
  if (isActive && isCircuitOpen(endpoint.breaker, now)) return drop("stale");
  // An endpoint that is not active is not called, so the page need not be small.
  const pageSize = isActive ? Math.min(task.pageSize, DRAIN_PAGE_MAX) : DRAIN_PAGE_MAX;
  const { rows, next } = await ports.deliveries.listWaiting(tenant, { endpointId, after, wanted: pageSize, now });
  const queue = isSlow(endpoint.breaker, now) ? ports.slowRetries : ports.retries;
  await queue.sendAll(
    rows.map((row) => {
      const { eventUlid, traceId } = row;
      return retryMessage({ tenant, endpointId, eventUlid, attempt: nextAttemptNumber(row), ...traceField(traceId) });
    }),
  );
  if (next !== null) {
    await scheduleTask(
      ports,
      { ...task, after: next, pageSize: Math.min(2 * pageSize, DRAIN_PAGE_MAX) },
      now + DRAIN_PAGE_DELAY,
      now,
    );
  } else if (repeat) {
    // A worker that read the circuit as open may write a waiting row behind this page.
    const finalTask = { ...task, after: null, pageSize: DRAIN_PAGE_FIRST, repeat: false };
    await scheduleTask(ports, finalTask, now + DRAIN_REPEAT_DELAY, now);
  }
  return done;
}
