import { clockNow } from "../../shared/kernel/time.ts";
import { ingestPorts } from "./ports.ts";
import { ingestWorker } from "./worker.ts";

/** Behind the inbound queue: keeps what people wrote and announces it. */
export const handler = ingestWorker(ingestPorts(), clockNow);
