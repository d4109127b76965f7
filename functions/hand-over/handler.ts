import { clockNow } from "#base/kernel/time.ts";
import { handOverPorts } from "./ports.ts";
import { handOverWorker } from "./worker.ts";

/** Consumes the uploads queue: hands checked files over to the platforms. */
export const handler = handOverWorker(handOverPorts(), clockNow);
