import { IN_FLIGHT_PER_ENDPOINT_MAX } from "../domain/limits.ts";

/** How many attempts of each endpoint this process is making. */
export interface InFlight {
  /** @returns false when the endpoint has its fill; else `leave` must follow */
  enter(endpointId: string): boolean;
  leave(endpointId: string): void;
}

export function countInFlight(max = IN_FLIGHT_PER_ENDPOINT_MAX): InFlight {
  const counts = new Map<string, number>();
  return {
    enter(endpointId) {
      const count = counts.get(endpointId) ?? 0;
      if (count >= max) return false;
      counts.set(endpointId, count + 1);
      return true;
    },
    leave(endpointId) {
      const count = (counts.get(endpointId) ?? 0) - 1;
      if (count > 0) counts.set(endpointId, count);
      else counts.delete(endpointId);
    },
  };
}
