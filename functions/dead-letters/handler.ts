import { clockNow } from "#base/kernel/time.ts";
import { deadLetterPorts } from "./ports.ts";
import { deadLettersWorker } from "./worker.ts";

/** Consumes every dead-letter queue and quarantines its messages. */
export const handler = deadLettersWorker(deadLetterPorts(), clockNow);
