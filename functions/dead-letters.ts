import { clockNow } from "../shared/kernel/time.ts";
import { deadLetterPorts } from "./wiring/dead-letters.ts";
import { deadLettersWorker } from "./workers/dead-letters.ts";

/** Behind every dead-letter queue: sets aside what could not be processed. */
export const handler = deadLettersWorker(deadLetterPorts(), clockNow);
