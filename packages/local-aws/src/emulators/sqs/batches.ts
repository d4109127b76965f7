import { ServiceError } from "../service-error.ts";

const BATCH_ENTRIES_MAX = 10;

interface Entry {
  readonly Id: string;
}

export interface BatchResponse {
  readonly Successful: readonly object[];
  readonly Failed: readonly object[];
}

/** Rejects the whole batch, as SQS does, for its number of entries or their ids. */
export function checkEntries(entries: readonly Entry[]): void {
  if (entries.length === 0) throw batchError("EmptyBatchRequest", "There should be at least one entry.");
  if (entries.length > BATCH_ENTRIES_MAX) {
    throw batchError("TooManyEntriesInBatchRequest", `Maximum number of entries per request are ${BATCH_ENTRIES_MAX}.`);
  }
  if (new Set(entries.map((entry) => entry.Id)).size < entries.length) {
    throw batchError("BatchEntryIdsNotDistinct", "Two entries of the batch have the same Id.");
  }
  if (!entries.every((entry) => /^[\w-]{1,80}$/.test(entry.Id))) {
    throw batchError("InvalidBatchEntryId", "An entry's Id is 1 to 80 letters, digits, hyphens or underscores.");
  }
}

export function batchError(code: string, message: string): ServiceError {
  return new ServiceError(code, message, { queryCode: `AWS.SimpleQueueService.${code}` });
}

/** The response to a batch: the outcome of each entry, in order. */
export function toBatchResponse(
  entries: readonly Entry[],
  outcomes: readonly (object | ServiceError)[],
): BatchResponse {
  const response = { Successful: [] as object[], Failed: [] as object[] };
  for (const [index, { Id }] of entries.entries()) {
    const outcome = outcomes[index];
    if (outcome instanceof ServiceError) {
      response.Failed.push({ Id, SenderFault: true, Code: outcome.queryCode, Message: outcome.message });
    } else response.Successful.push({ Id, ...outcome });
  }
  return response;
}

/** The outcome of one entry: its value or its error. */
export function attempt<T extends object>(run: () => T): T | ServiceError {
  try {
    return run();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}
