import type { EventType } from "#base/events/events.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Delivery, DeliveryStatus } from "./deliveries.ts";

/** A filter of an endpoint's deliveries. Null means no filter on that field. */
export interface DeliveryFilter {
  readonly statuses: readonly DeliveryStatus[] | null;
  readonly eventTypes: readonly EventType[] | null;
  /** The first and the last instant of the events' times. */
  readonly from: Millis | null;
  readonly to: Millis | null;
}

export const NO_FILTER: DeliveryFilter = { statuses: null, eventTypes: null, from: null, to: null };

/** Whether a delivery has one of the statuses and types. */
export function matchesFilter(
  { statuses, eventTypes }: DeliveryFilter,
  delivery: Pick<Delivery, "status" | "eventType">,
): boolean {
  return (
    (statuses === null || statuses.includes(delivery.status)) &&
    (eventTypes === null || eventTypes.includes(delivery.eventType))
  );
}

/**
 * Whether a delivery may have one of the statuses, by the status that is stored: an attempt in progress is stored with the
 * status from before.
 */
export function mayHaveStatus(statuses: readonly DeliveryStatus[], stored: DeliveryStatus): boolean {
  const waits = stored === "pending" || stored === "retrying";
  return statuses.includes(stored) || (waits && statuses.includes("attempting"));
}
