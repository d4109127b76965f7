import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import type { TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";

export type TransactItem = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** Together about three seconds at most. */
const TRIES = 10;
const FIRST_WAIT_MS = 20;
const WAIT_MAX_MS = 500;

/** Reasons for which a transaction is cancelled that are over in a moment. */
const passing: ReadonlySet<string | undefined> = new Set([
  "TransactionConflict",
  "ThrottlingError",
  "ProvisionedThroughputExceeded",
]);

/**
 * Runs a transaction on items that others write at the same time. One that meets another waits for longer each time,
 * and no two for equally long. When a condition fails, nothing is written.
 * @param write to be run once for each try
 * @param dice a draw from [0, 1)
 * @returns `found`: for each item in turn what stands where its condition failed (ask for it with
 *   ReturnValuesOnConditionCheckFailure: ALL_OLD), null for nothing; undefined where none failed
 */
export async function transactPatiently(
  write: () => Promise<unknown>,
  dice: () => number,
): Promise<{ held: true } | { held: false; found: (Record<string, unknown> | null | undefined)[] }> {
  for (let tries = 1; ; tries++) {
    try {
      await write();
      return { held: true };
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const reasons = error.CancellationReasons ?? [];
      const found = reasons.map(({ Code, Item }) =>
        Code === "ConditionalCheckFailed" ? (Item ? unmarshall(Item) : null) : undefined,
      );
      if (found.some((one) => one !== undefined)) return { held: false, found };
      if (!reasons.some(({ Code }) => passing.has(Code)) || tries === TRIES) throw error;
    }
    await beforeAnother(tries, dice);
  }
}

/** Runs a single write of an item that transactions write too: one that meets such a transaction is made again. */
export async function writePatiently<T>(write: () => Promise<T>, dice: () => number): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await write();
    } catch (error) {
      const met = error instanceof Error && error.name === "TransactionConflictException";
      if (!met || tries === TRIES) throw error;
    }
    await beforeAnother(tries, dice);
  }
}

async function beforeAnother(tries: number, dice: () => number): Promise<void> {
  const span = dice() * Math.min(WAIT_MAX_MS, FIRST_WAIT_MS * 2 ** tries);
  await new Promise((resolve) => setTimeout(resolve, span));
}
