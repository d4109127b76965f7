import middy from "@middy/core";
import { settleDueSends } from "../shared/flows/sends/settle-due.ts";
import { sweepDue } from "../shared/flows/sweep-due.ts";
import { clockNow, SECOND } from "../shared/kernel/time.ts";
import { sweepPorts } from "./wiring/sweep.ts";

const ports = sweepPorts();

/** A sweep that would be cut off ends by itself with a name; the next one goes on from the mark. */
class SweepTooLong extends Error {
  override readonly name = "SweepTooLong";
}

/** Each minute: what has become due goes to the deliveries queue, and what senders left open is settled. */
export const handler = middy(
  async (): Promise<void> => {
    const now = clockNow();
    const ends = await Promise.allSettled([sweepDue(ports, now), settleDueSends(ports, now)]);
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  },
  {
    timeoutEarlyInMillis: SECOND,
    timeoutEarlyResponse: () => {
      throw new SweepTooLong("The sweep did not end in time.");
    },
  },
);
