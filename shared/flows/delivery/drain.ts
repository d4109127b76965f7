import { isLeftAlone } from "../../domain/delivery/breaker.ts";
import { DRAIN_AGAIN, DRAIN_PAGE_FIRST, DRAIN_PAGE_MAX, DRAIN_PAUSE } from "../../domain/limits.ts";
import type { Millis } from "../../kernel/time.ts";
import type { DeliveryRow } from "../../stores/delivery/delivery-items.ts";
import type { DeliverPorts } from "../ports.ts";
import { done, drop, type RecordEnd } from "../record-outcome.ts";
import { type DrainStep, sendStep } from "./endpoint-tasks.ts";
import { retryMessage } from "./schedule.ts";

/** The attempt that a waiting row waits for. One whose worker died is handed out under the number it has. */
export function nextAttemptOf(row: DeliveryRow): number {
  return row.status === "attempting" ? row.attempt : row.attempt + 1;
}

/**
 * Hands out a page of what waits for an endpoint, oldest event first, and sees to the next page. Each delivery then goes
 * its way: it is attempted, or blocked where the endpoint is paused. Safe to repeat: a delivery that is handed out twice
 * is dropped by its number. It ends when the endpoint is left alone again.
 */
export async function drain(
  ports: Pick<DeliverPorts, "endpoints" | "deliveries" | "retries" | "due">,
  step: DrainStep,
  now: Millis,
): Promise<RecordEnd> {
  const { tenant, endpointId, after, again } = step;
  const endpoint = await ports.endpoints.get(tenant, endpointId);
  if (!endpoint) return drop("stale");
  const active = endpoint.status === "active";
  if (active && isLeftAlone(endpoint.breaker, now)) return drop("stale");
  // Nobody is called where the endpoint is not active.
  const wanted = active ? Math.min(step.page, DRAIN_PAGE_MAX) : DRAIN_PAGE_MAX;
  const { rows, next } = await ports.deliveries.waiting(tenant, { endpointId, after, wanted, now });
  await ports.retries.sendAll(rows.map((row) => retryMessage(tenant, row, nextAttemptOf(row), now, now)));
  if (next !== null) {
    await sendStep(ports, { ...step, after: next, page: Math.min(2 * wanted, DRAIN_PAGE_MAX) }, now + DRAIN_PAUSE, now);
  } else if (again) {
    // A worker may have read the endpoint as left alone and written a waiting row behind this.
    const once = { ...step, after: null, page: DRAIN_PAGE_FIRST, again: false };
    await sendStep(ports, once, now + DRAIN_AGAIN, now);
  }
  return done;
}
