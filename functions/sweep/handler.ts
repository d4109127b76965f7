import middy from "@middy/core";
import { clockNow, SECOND } from "../../shared/kernel/time.ts";
import { sweepPorts } from "./ports.ts";
import { sweepWorker } from "./worker.ts";

/** A sweep that would be cut off all the same ends with a name; the next one goes on from the mark. */
class SweepTooLong extends Error {
  override readonly name = "SweepTooLong";
}

/** Each minute. */
export const handler = middy(sweepWorker(sweepPorts(), clockNow), {
  timeoutEarlyInMillis: SECOND,
  timeoutEarlyResponse: () => {
    throw new SweepTooLong("The sweep did not end in time.");
  },
});
