import { clockNow } from "../../shared/kernel/time.ts";
import { erasePorts } from "./ports.ts";
import { eraseWorker } from "./worker.ts";

/** Behind the erasures queue: ends what a request began. */
export const handler = eraseWorker(erasePorts(), clockNow);
