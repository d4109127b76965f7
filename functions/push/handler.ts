import { clockNow } from "#base/kernel/time.ts";
import { pushPorts } from "./ports.ts";
import { pushWorker } from "./worker.ts";

/** Consumes the realtime queue: pushes frames to the sockets of tenants. */
export const handler = pushWorker(pushPorts(), clockNow);
