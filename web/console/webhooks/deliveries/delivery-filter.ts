import { anyTime, rangeQuery, type TimeRange } from "../../admin/time-range.ts";
import type { EventType } from "../endpoint-state.ts";
import { type DeliveryStatus, undelivered } from "./delivery-words.ts";

/** Which deliveries of an endpoint are listed. */
export interface DeliveryFilter {
  readonly status: DeliveryStatus | "undelivered" | null;
  readonly eventType: EventType | null;
  readonly range: TimeRange;
}

export const allDeliveries: DeliveryFilter = { status: null, eventType: null, range: anyTime };

/** The parameters of the list for a filter. Without `delivered` the API examines only what was not delivered. */
export function deliveryQuery({ status, eventType, range }: DeliveryFilter) {
  const statusList = status === "undelivered" ? undelivered.join(",") : status;
  return {
    ...(statusList === null ? {} : { status: statusList }),
    ...(eventType === null ? {} : { event_type: eventType }),
    ...rangeQuery(range),
  };
}

export function isFiltered(filter: DeliveryFilter): boolean {
  return Object.keys(deliveryQuery(filter)).length > 0;
}
