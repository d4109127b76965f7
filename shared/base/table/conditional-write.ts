import { ConditionalCheckFailedException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { ATTEMPTS_MAX, backoff } from "./backoff.ts";
import type { Table } from "./client.ts";
import { currentOnFailure, type SendOptions, sendWrite, type TransactItem, type Write } from "./writes.ts";

/** An item as it is stored. */
type Item = Readonly<Record<string, unknown>>;

interface Options {
  /**
   * Attributes with the values that only this write gives them, such as its unique `op`; undefined where it leaves one
   * absent. They distinguish the write's own result from another writer's when the SDK repeats a write whose answer was lost.
   */
  readonly ownMark?: Item;
}

/** Cancellation reasons that pass within moments. */
const transientReasons: ReadonlySet<string | undefined> = new Set([
  "TransactionConflict",
  "ThrottlingError",
  "ProvisionedThroughputExceeded",
]);

/**
 * Sends one conditional write.
 * @returns `item`: the attributes that the write asked for, or the stored item when the write's first answer was lost;
 *   `current`: the stored item when the condition failed, null when there is none
 */
export async function conditionalWrite<T = Item>(
  table: Table,
  write: Write,
  { ownMark, ...sendOptions }: Options & SendOptions = {},
): Promise<
  { readonly applied: true; readonly item: T | undefined } | { readonly applied: false; readonly current: T | null }
> {
  try {
    return { applied: true, item: (await sendWrite(table, write, sendOptions)) as T | undefined };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const current = error.Item ? unmarshall(error.Item) : null;
    return isOwnWrite(current, ownMark)
      ? { applied: true, item: current as T }
      : { applied: false, current: current as T | null };
  }
}

/**
 * Writes all items or none. Retries when another transaction on one of them is in progress. The table recognizes a
 * repeated transaction by its token for 10 minutes, and after that `ownMark` in the first item does.
 * @returns `current`, per item: the stored item where its condition failed, null when there is none; undefined where
 *   the condition held
 */
export async function conditionalTransaction(
  { client, name: TableName }: Table,
  items: readonly TransactItem[],
  { token, ownMark, random }: Options & Pick<SendOptions, "random"> & { readonly token?: string } = {},
): Promise<
  { readonly applied: true } | { readonly applied: false; readonly current: readonly (Item | null | undefined)[] }
> {
  const TransactItems = items.map((item) =>
    Object.fromEntries(
      Object.entries(item).map(([kind, input]) => [kind, { TableName, ...input, ...currentOnFailure(input) }]),
    ),
  );
  for (let attempt = 1; ; attempt++) {
    try {
      await client.send(new TransactWriteCommand({ ClientRequestToken: token, TransactItems }));
      return { applied: true };
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const reasons = error.CancellationReasons ?? [];
      const current = reasons.map(({ Code, Item }) =>
        Code === "ConditionalCheckFailed" ? (Item ? unmarshall(Item) : null) : undefined,
      );
      if (isOwnWrite(current[0], ownMark)) return { applied: true };
      if (current.some((item) => item !== undefined)) return { applied: false, current };
      if (!reasons.some(({ Code }) => transientReasons.has(Code)) || attempt === ATTEMPTS_MAX) throw error;
    }
    await backoff(attempt, random);
  }
}

function isOwnWrite(current: Item | null | undefined, ownMark: Item | undefined): boolean {
  return !!current && !!ownMark && Object.entries(ownMark).every(([name, value]) => current[name] === value);
}
