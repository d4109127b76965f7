import { clockNow } from "#base/kernel/time.ts";
import { accountsPorts } from "./ports.ts";
import { accountsWorker } from "./worker.ts";

/** Consumes the accounts queue: completes connections and disconnections. */
export const handler = accountsWorker(accountsPorts(), clockNow);
