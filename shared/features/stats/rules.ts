import type { DeliveryStatus } from "#features/delivery/rules/deliveries.ts";

/** The counted end states of deliveries. `failed` includes `blocked`. */
export const endStates = ["delivered", "failed", "dlq"] as const;
export type EndState = (typeof endStates)[number];
export type EndCounts = Readonly<Record<EndState, number>>;

/** @returns null for a status that is not final */
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
