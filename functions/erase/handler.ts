import { clockNow } from "#base/kernel/time.ts";
import { erasePorts } from "./ports.ts";
import { eraseWorker } from "./worker.ts";

/** Consumes the erasures queue: completes erasures that a request started. */
export const handler = eraseWorker(erasePorts(), clockNow);
