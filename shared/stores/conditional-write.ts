import { ConditionalCheckFailedException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { transactWithRetry } from "./transaction-retry.ts";

/** The named conditions that writes rest on. */
export const conditions = {
  itemDoesNotExist: "attribute_not_exists(PK)",
  itemExists: "attribute_exists(PK)",
} as const;

/**
 * Runs a conditional write; when its condition fails, answers what stands there instead (ask for it with
 * ReturnValuesOnConditionCheckFailure: ALL_OLD), or null where nothing does.
 */
export async function conditionalWrite<T>(
  write: () => Promise<T>,
): Promise<{ applied: true; output: T } | { applied: false; current: Record<string, unknown> | null }> {
  try {
    return { applied: true, output: await write() };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { applied: false, current: error.Item ? unmarshall(error.Item) : null };
  }
}

/**
 * Runs a transaction; when a condition in it fails, nothing is written, and the answer is what stands where the first
 * one failed (ask for it with ReturnValuesOnConditionCheckFailure: ALL_OLD), or null where nothing does.
 */
export async function conditionalTransaction(
  write: () => Promise<unknown>,
): Promise<{ applied: true } | { applied: false; current: Record<string, unknown> | null }> {
  const result = await transactWithRetry(write, Math.random);
  return result.applied
    ? result
    : { applied: false, current: result.current.find((item) => item !== undefined) ?? null };
}

/** True when a transaction was cancelled because a condition of one of its items failed. */
export function cancelledByCondition(error: unknown): boolean {
  return (
    error instanceof TransactionCanceledException &&
    (error.CancellationReasons ?? []).some((reason) => reason.Code === "ConditionalCheckFailed")
  );
}
