import { clockNow } from "../shared/kernel/time.ts";
import { ingestPorts } from "./wiring/ingest.ts";
import { ingestWorker } from "./workers/ingest.ts";

/** Behind the inbound queue: keeps what people wrote and announces it. */
export const handler = ingestWorker(ingestPorts(), clockNow);
