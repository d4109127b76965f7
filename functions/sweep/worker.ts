import type { SweepPorts } from "../../shared/flows/delivery/ports.ts";
import { sweepDue } from "../../shared/flows/delivery/sweep.ts";
import { expireHolds } from "../../shared/flows/holds/expire.ts";
import type { HoldExpiryPorts } from "../../shared/flows/holds/ports.ts";
import type { SettlePorts } from "../../shared/flows/sending/ports.ts";
import { settleDueSends } from "../../shared/flows/sending/settle-due.ts";
import { type Millis, SECOND } from "../../shared/kernel/time.ts";
import type { Invocation } from "../worker/batch.ts";

/** How long before the function's time-out no further page is begun: one takes seconds when all goes slowly. */
const STOP_EARLY: Millis = 15 * SECOND;

/**
 * The sweeper: hands on what has become due, settles what senders left open, and ends what was held and not checked in
 * time. None of these waits for another.
 */
export function sweepWorker(ports: SweepPorts & SettlePorts & HoldExpiryPorts, clock: () => Millis) {
  return async (_event: unknown, invocation: Invocation): Promise<void> => {
    const now = clock();
    const inTime = () => invocation.getRemainingTimeInMillis() > STOP_EARLY;
    const results = await Promise.allSettled([
      sweepDue(ports, now, inTime),
      settleDueSends(ports, now, inTime),
      expireHolds(ports, now, inTime),
    ]);
    for (const result of results) if (result.status === "rejected") throw result.reason;
  };
}
