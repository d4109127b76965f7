import { clockNow } from "../../shared/kernel/time.ts";
import { deliverPorts } from "./ports.ts";
import { deliverWorker } from "./worker.ts";

const ports = deliverPorts();

/** Behind the events and the deliveries queue: signs and posts events to the tenants' endpoints. */
export const handler = deliverWorker(ports, clockNow, (record, after) =>
  ports.retries.postpone(record.receiptHandle, after),
);
