import { clockNow } from "#base/kernel/time.ts";
import { ingestPorts } from "./ports.ts";
import { ingestWorker } from "./worker.ts";

/** The worker of the inbound queue: stores messages and publishes their events. */
export const handler = ingestWorker(ingestPorts(), clockNow);
