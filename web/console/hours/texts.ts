import { timeOfDay } from "../common/times.ts";
import type { DeliveryHour } from "./hours.ts";

/** The words of the bars of an endpoint: what a person who sees them reads from them. */
export function hoursLine(hours: readonly DeliveryHour[]): string {
  if (hours.every(({ delivered, undelivered }) => delivered + undelivered === 0)) return "No deliveries in any hour";
  const failing = hours.filter(({ undelivered }) => undelivered > 0);
  const last = failing.at(-1);
  if (!last) return "Deliveries by hour, without a failure";
  return `Deliveries by hour, with failures in ${failing.length} of ${hours.length}, the last in the hour from ${timeOfDay(last.startsAt)}`;
}
