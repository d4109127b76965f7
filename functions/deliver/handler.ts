import { clockNow } from "#base/kernel/time.ts";
import { deliverPorts } from "./ports.ts";
import { deliverWorker } from "./worker.ts";

/** Consumes the events queue and both deliveries queues: signs events and posts them to the tenants' endpoints. */
export const handler = deliverWorker(deliverPorts(), clockNow);
