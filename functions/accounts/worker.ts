import { runAccountTask } from "#features/accounts/flows/run-task.ts";
import { decodeAccountTask } from "#features/accounts/queue.ts";
import { recordWorker } from "../worker/record-worker.ts";

/** The worker of the accounts' tasks. */
export const accountsWorker = recordWorker({ worker: "accounts", decode: decodeAccountTask, run: runAccountTask });
