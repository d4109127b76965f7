import { clockNow } from "#base/kernel/time.ts";
import { sweepPorts } from "./ports.ts";
import { sweepWorker } from "./worker.ts";

/** Runs every minute. */
export const handler = sweepWorker(sweepPorts(), clockNow);
