import type { Millis } from "#base/kernel/time.ts";
import type { Delivery } from "./deliveries.ts";

/**
 * What a delivery waits for: `endpoint`, that its circuit closes; `retry`, the time of its next attempt; `slot`, that a
 * worker, or a slot of a slow endpoint, is free.
 */
export const waitReasons = ["endpoint", "retry", "slot"] as const;

interface Wait {
  readonly reason: (typeof waitReasons)[number];
  /** Until then at least. Null where no time is known. */
  readonly until: Millis | null;
}

/**
 * What a delivery waits for; null when an attempt is made now, and when it has ended.
 * @param nextProbe of its endpoint's open circuit; null while that is closed
 */
export function waitOf(
  { status, nextRetryAt }: Pick<Delivery, "status" | "nextRetryAt">,
  nextProbe: Millis | null,
  now: Millis,
): Wait | null {
  if (status !== "pending" && status !== "retrying") return null;
  if (nextRetryAt !== null && nextRetryAt > now) return { reason: "retry", until: nextRetryAt };
  const isForEndpoint = nextProbe !== null || (status === "retrying" && nextRetryAt === null);
  return isForEndpoint ? { reason: "endpoint", until: nextProbe } : { reason: "slot", until: null };
}
