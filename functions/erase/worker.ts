import { eraseInBackground } from "#features/erasure/flows/erase.ts";
import { decodeErasure } from "#features/erasure/queue.ts";
import { recordWorker } from "../worker/record-worker.ts";

/** The erase worker. It advances each erasure of a batch as far as it can now. */
export const eraseWorker = recordWorker({ worker: "erase", decode: decodeErasure, run: eraseInBackground });
