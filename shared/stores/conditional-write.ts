import { ConditionalCheckFailedException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { transactPatiently } from "./transaction-retry.ts";

/** The named conditions that writes rest on. */
export const conditions = {
  notYetThere: "attribute_not_exists(PK)",
  stillThere: "attribute_exists(PK)",
} as const;

/**
 * Runs a conditional write; when its condition fails, answers what stands there instead (ask for it with
 * ReturnValuesOnConditionCheckFailure: ALL_OLD), or null where nothing does.
 */
export async function whenConditionHolds<T>(
  write: () => Promise<T>,
): Promise<{ held: true; output: T } | { held: false; old: Record<string, unknown> | null }> {
  try {
    return { held: true, output: await write() };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { held: false, old: error.Item ? unmarshall(error.Item) : null };
  }
}

/**
 * Runs a transaction; when a condition in it fails, nothing is written, and the answer is what stands where the first
 * one failed (ask for it with ReturnValuesOnConditionCheckFailure: ALL_OLD), or null where nothing does.
 */
export async function whenTransactionHolds(
  write: () => Promise<unknown>,
): Promise<{ held: true } | { held: false; old: Record<string, unknown> | null }> {
  const written = await transactPatiently(write, Math.random);
  return written.held ? written : { held: false, old: written.found.find((one) => one !== undefined) ?? null };
}

/** True when a transaction was cancelled because a condition of one of its items failed. */
export function cancelledByCondition(error: unknown): boolean {
  return (
    error instanceof TransactionCanceledException &&
    (error.CancellationReasons ?? []).some((reason) => reason.Code === "ConditionalCheckFailed")
  );
}
