import { DAY } from "#base/kernel/time.ts";
import { handOverUpload } from "#features/uploads/flows/hand-over.ts";
import { decodeUpload } from "#features/uploads/queue.ts";
import { recordWorker } from "../worker/record-worker.ts";

/** The worker that hands uploads over to the platforms. */
export const handOverWorker = recordWorker({
  worker: "hand-over",
  decode: decodeUpload,
  run: handOverUpload,
  life: () => DAY,
});
