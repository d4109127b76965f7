import type { Millis } from "../../kernel/time.ts";
import { newTally, type Tally } from "../stats/count.ts";
import { type EndpointHealth, newEndpointHealth } from "./endpoint-health.ts";

/** One batch of queue messages: its clock, and what its attempts add up to, which is written once, at the batch's end. */
export interface Batch {
  readonly now: () => Millis;
  /** It comes from the slow deliveries queue, where each attempt has its full time. */
  readonly slow: boolean;
  readonly tally: Tally;
  /** Null for a probe, which updates its breaker itself, and for an attempt that nobody saw end. */
  readonly health: EndpointHealth | null;
}

export function newBatch(now: () => Millis, slow: boolean): Batch & { readonly health: EndpointHealth } {
  return { now, slow, tally: newTally(), health: newEndpointHealth() };
}
