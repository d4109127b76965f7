import { isCircuitOpen } from "../../domain/delivery/breaker.ts";
import { DRAIN_PAGE_DELAY, DRAIN_PAGE_FIRST, DRAIN_PAGE_MAX, DRAIN_REPEAT_DELAY } from "../../domain/limits.ts";
import type { Millis } from "../../kernel/time.ts";
import type { DrainTask } from "../../queues/deliveries.ts";
import type { DeliveryRow } from "../../stores/delivery/delivery-items.ts";
import { done, drop, type RecordOutcome } from "../record-outcome.ts";
import type { DeliverPorts } from "./ports.ts";
import { retryMessage, scheduleTask } from "./schedule.ts";

/** The attempt that a waiting row waits for. One whose worker died is handed out under the number it has. */
export function nextAttemptNumber(row: DeliveryRow): number {
  return row.status === "attempting" ? row.attempt : row.attempt + 1;
}

/**
 * Hands out a page of what waits for an endpoint, oldest event first, and sees to the next page. Each delivery then goes
 * its way: it is attempted, or blocked where the endpoint is paused. Safe to repeat: a delivery that is handed out twice
 * is dropped by its number. It ends when the endpoint is left alone again.
 */
export async function drainEndpoint(
  ports: Pick<DeliverPorts, "endpoints" | "deliveries" | "retries" | "due">,
  task: DrainTask,
  now: Millis,
): Promise<RecordOutcome> {
  const { tenant, endpointId, after, repeat } = task;
  const endpoint = await ports.endpoints.get(tenant, endpointId);
  if (!endpoint) return drop("stale");
  const isActive = endpoint.status === "active";
  if (isActive && isCircuitOpen(endpoint.breaker, now)) return drop("stale");
  // Nobody is called where the endpoint is not active.
  const pageSize = isActive ? Math.min(task.pageSize, DRAIN_PAGE_MAX) : DRAIN_PAGE_MAX;
  const { rows, next } = await ports.deliveries.listWaiting(tenant, { endpointId, after, wanted: pageSize, now });
  await ports.retries.sendAll(
    rows.map((row) => {
      const { eventUlid } = row;
      return retryMessage({ tenant, endpointId, eventUlid, attempt: nextAttemptNumber(row) });
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
    // A worker may have read the endpoint as left alone and written a waiting row behind this.
    const finalTask = { ...task, after: null, pageSize: DRAIN_PAGE_FIRST, repeat: false };
    await scheduleTask(ports, finalTask, now + DRAIN_REPEAT_DELAY, now);
  }
  return done;
}
