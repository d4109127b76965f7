import { clockNow } from "../shared/kernel/time.ts";
import { erasePorts } from "./wiring/erase.ts";
import { eraseWorker } from "./workers/erase.ts";

/** Behind the erasures queue: ends what a request began. */
export const handler = eraseWorker(erasePorts(), clockNow);
