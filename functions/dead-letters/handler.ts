import { clockNow } from "../../shared/kernel/time.ts";
import { deadLetterPorts } from "./ports.ts";
import { deadLettersWorker } from "./worker.ts";

/** Behind every dead-letter queue: sets aside what could not be processed. */
export const handler = deadLettersWorker(deadLetterPorts(), clockNow);
