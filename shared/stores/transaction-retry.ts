import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import type { TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";

export type TransactItem = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** Together about three seconds at most. */
const ATTEMPTS_MAX = 10;
const FIRST_DELAY_MS = 20;
const DELAY_MAX_MS = 500;

/** Reasons for which a transaction is cancelled that are over in a moment. */
const transientReasons: ReadonlySet<string | undefined> = new Set([
  "TransactionConflict",
  "ThrottlingError",
  "ProvisionedThroughputExceeded",
]);

/**
 * Runs a transaction on items that others write at the same time. One that meets another waits for longer each time,
 * and no two for equally long. When a condition fails, nothing is written.
 * @param write to be run once for each try
 * @param random a draw from [0, 1)
 * @returns `found`: for each item in turn what stands where its condition failed (ask for it with
 *   ReturnValuesOnConditionCheckFailure: ALL_OLD), null for nothing; undefined where none failed
 */
export async function transactWithRetry(
  write: () => Promise<unknown>,
  random: () => number,
): Promise<{ applied: true } | { applied: false; current: (Record<string, unknown> | null | undefined)[] }> {
  for (let attempt = 1; ; attempt++) {
    try {
      await write();
      return { applied: true };
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const reasons = error.CancellationReasons ?? [];
      const current = reasons.map(({ Code, Item }) =>
        Code === "ConditionalCheckFailed" ? (Item ? unmarshall(Item) : null) : undefined,
      );
      if (current.some((one) => one !== undefined)) return { applied: false, current };
      if (!reasons.some(({ Code }) => transientReasons.has(Code)) || attempt === ATTEMPTS_MAX) throw error;
    }
    await backoff(attempt, random);
  }
}

/** Runs a single write of an item that transactions write too: one that meets such a transaction is made again. */
export async function writeWithRetry<T>(write: () => Promise<T>, random: () => number): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      const isConflict = error instanceof Error && error.name === "TransactionConflictException";
      if (!isConflict || attempt === ATTEMPTS_MAX) throw error;
    }
    await backoff(attempt, random);
  }
}

async function backoff(attempt: number, random: () => number): Promise<void> {
  const delayMs = random() * Math.min(DELAY_MAX_MS, FIRST_DELAY_MS * 2 ** attempt);
  await new Promise((resolve) => setTimeout(resolve, delayMs));
}
