import type { DeliveryStatus } from "../delivery/deliveries.ts";

/** What is counted of an endpoint's deliveries. `failed` holds those that were blocked, too. */
export const endStates = ["delivered", "failed", "dlq"] as const;
export type EndState = (typeof endStates)[number];
export type EndCounts = Readonly<Record<EndState, number>>;

/** What a delivery that reached a status counts as; null while it goes on. */
export function toEndState(status: DeliveryStatus): EndState | null {
  switch (status) {
    case "delivered":
    case "dlq":
    case "failed":
      return status;
    case "blocked":
      return "failed";
    default:
      return null;
  }
}
