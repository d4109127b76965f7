import type {
  BatchWriteItemCommandInput,
  BatchWriteItemCommandOutput,
  DeleteItemCommandInput,
  PutItemCommandInput,
  TransactWriteItemsCommandInput,
  UpdateItemCommandInput,
} from "@aws-sdk/client-dynamodb";
import type { Item } from "../item-size.ts";
import type { Attempt, Sent } from "./attempt.ts";
import { withLocks } from "./locks.ts";
import { canonical, pick, typedKey } from "./schema.ts";
import type { Source } from "./source.ts";
import { type Change, changeBill, refusedBill, replayBill } from "./write-bill.ts";

/** The inputs of the operations that write. */
export type WriteInputs = {
  PutItem: PutItemCommandInput;
  UpdateItem: UpdateItemCommandInput;
  DeleteItem: DeleteItemCommandInput;
  BatchWriteItem: BatchWriteItemCommandInput;
  TransactWriteItems: TransactWriteItemsCommandInput;
};
export type Write = { [Name in keyof WriteInputs]: { name: Name; input: WriteInputs[Name] } }[keyof WriteInputs];

/** Sends a write and notes what it costs; null when it does not touch the table. Errors pass through unchanged. */
export function writeMeter(source: Source): <S extends Sent>(write: Write, attempt: Attempt<S>) => Promise<S> | null {
  /** Read units that a repeat of a transaction costs, by the token of the one that went through. */
  const settled = new Map<string, number>();

  return (write, attempt) => {
    const targets = targetsOf(write, source.tableName);
    if (targets.length === 0) return null;
    return run(write, targets, attempt);
  };

  async function run<S extends Sent>(
    write: Write,
    targets: readonly Item[],
    { send, body, note }: Attempt<S>,
  ): Promise<S> {
    const shape = await source.shape();
    const keys = targets.map((target) => pick(target, shape.keys));
    const transaction = write.name === "TransactWriteItems";
    const token = transaction ? tokenIn(body) : null;

    return withLocks(keys.map(lockName), async () => {
      const before = await Promise.all(keys.map(source.get));
      let sent: S;
      try {
        sent = await send();
      } catch (error) {
        if (conditionFailed(error)) note({ wcu: sum(before, (item) => refusedBill(item, transaction)) });
        throw error;
      }
      const replayed = token === null ? undefined : settled.get(token);
      if (replayed !== undefined) {
        note({ rcu: replayed });
        return sent;
      }
      const after = await Promise.all(keys.map(source.get));
      const left = leftOver(sent.output, source.tableName).map((target) =>
        lockName(typedKey(pick(target, shape.keys))),
      );
      const changes: Change[] = keys.flatMap((key, i) =>
        left.includes(lockName(key)) ? [] : { before: before[i] ?? null, after: after[i] ?? null },
      );
      note({ wcu: sum(changes, (change) => changeBill(shape, change, transaction)) });
      if (token !== null) settled.set(token, sum(changes, replayBill));
      return sent;
    });
  }

  function lockName(key: Item): string {
    return `${source.tableName} ${canonical(key)}`;
  }
}

/** The keys, or items that hold them, which the write touches in the table. */
function targetsOf(write: Write, tableName: string): Item[] {
  switch (write.name) {
    case "PutItem":
      return write.input.TableName === tableName ? [write.input.Item ?? {}] : [];
    case "UpdateItem":
    case "DeleteItem":
      return write.input.TableName === tableName ? [write.input.Key ?? {}] : [];
    case "BatchWriteItem":
      return batchTargets(write.input.RequestItems, tableName);
    case "TransactWriteItems":
      return (write.input.TransactItems ?? []).flatMap(({ Put, Update, Delete, ConditionCheck }) => {
        const keyed = Update ?? Delete ?? ConditionCheck;
        const { TableName } = Put ?? keyed ?? {};
        return TableName === tableName ? [Put?.Item ?? keyed?.Key ?? {}] : [];
      });
  }
}

function batchTargets(requests: BatchWriteItemCommandInput["RequestItems"], tableName: string): Item[] {
  return (requests?.[tableName] ?? []).map(
    ({ PutRequest, DeleteRequest }) => PutRequest?.Item ?? DeleteRequest?.Key ?? {},
  );
}

/** What a batch handed back undone. */
function leftOver(output: unknown, tableName: string): Item[] {
  const { UnprocessedItems } = (output ?? {}) as Partial<BatchWriteItemCommandOutput>;
  return batchTargets(UnprocessedItems, tableName);
}

/** A cancelled transaction returns no figure: billing every item of it by what is there is the upper bound. */
function conditionFailed(error: unknown): boolean {
  const { name, CancellationReasons } = error as { name?: string; CancellationReasons?: { Code?: string }[] };
  if (name === "ConditionalCheckFailedException") return true;
  return CancellationReasons?.some(({ Code }) => Code === "ConditionalCheckFailed") ?? false;
}

/** The SDK makes up a token for each send and repeats it in its retries; it is only in the body. */
function tokenIn(body: unknown): string | null {
  const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body);
  const { ClientRequestToken } = JSON.parse(text);
  return typeof ClientRequestToken === "string" ? ClientRequestToken : null;
}

function sum<T>(values: readonly T[], units: (value: T) => number): number {
  return values.reduce((total, value) => total + units(value), 0);
}
