import type {
  BatchWriteItemCommandInput,
  BatchWriteItemCommandOutput,
  DeleteItemCommandInput,
  PutItemCommandInput,
  TransactWriteItemsCommandInput,
  UpdateItemCommandInput,
} from "@aws-sdk/client-dynamodb";
import type { Item } from "../item-size.ts";
import { withLocks } from "./locks.ts";
import type { Attempt, HandlerOutput } from "./metered-attempt.ts";
import { canonicalJson, pickAttributes, typedKey } from "./schema.ts";
import type { UnmeteredTable } from "./unmetered-table.ts";
import { type Change, changeUnits, failedConditionUnits, replayUnits } from "./write-units.ts";

/** The inputs of the operations that write. */
export type WriteInputs = {
  PutItem: PutItemCommandInput;
  UpdateItem: UpdateItemCommandInput;
  DeleteItem: DeleteItemCommandInput;
  BatchWriteItem: BatchWriteItemCommandInput;
  TransactWriteItems: TransactWriteItemsCommandInput;
};
export type Write = { [Name in keyof WriteInputs]: { name: Name; input: WriteInputs[Name] } }[keyof WriteInputs];

/** Sends a write and counts its cost; null when it does not touch the table. Errors pass through unchanged. */
export function writeMeter(
  source: UnmeteredTable,
): <S extends HandlerOutput>(write: Write, attempt: Attempt<S>) => Promise<S> | null {
  /** Read units of a repeated transaction, by the token of the committed one. */
  const unitsByToken = new Map<string, number>();

  return (write, attempt) => {
    const targets = writeTargets(write, source.tableName);
    if (targets.length === 0) return null;
    return sendMetered(write, targets, attempt);
  };

  async function sendMetered<S extends HandlerOutput>(
    write: Write,
    targets: readonly Item[],
    { send, request, addUnits }: Attempt<S>,
  ): Promise<S> {
    const schema = await source.schema();
    const keys = targets.map((target) => pickAttributes(target, schema.keys));
    const transaction = write.name === "TransactWriteItems";
    const token = transaction ? clientRequestToken(request) : null;

    return withLocks(keys.map(lockName), async () => {
      const before = await Promise.all(keys.map(source.get));
      let response: S;
      try {
        response = await send();
      } catch (error) {
        if (isConditionFailure(error))
          addUnits({ wcu: sum(before, (item) => failedConditionUnits(item, transaction)) });
        throw error;
      }
      const replayedUnits = token === null ? undefined : unitsByToken.get(token);
      if (replayedUnits !== undefined) {
        addUnits({ rcu: replayedUnits });
        return response;
      }
      const after = await Promise.all(keys.map(source.get));
      const unprocessed = unprocessedItems(response.output, source.tableName).map((target) =>
        lockName(typedKey(pickAttributes(target, schema.keys))),
      );
      const changes: Change[] = keys.flatMap((key, i) =>
        unprocessed.includes(lockName(key)) ? [] : { before: before[i] ?? null, after: after[i] ?? null },
      );
      addUnits({ wcu: sum(changes, (change) => changeUnits(schema, change, transaction)) });
      if (token !== null) unitsByToken.set(token, sum(changes, replayUnits));
      return response;
    });
  }

  function lockName(key: Item): string {
    return `${source.tableName} ${canonicalJson(key)}`;
  }
}

/** The keys, or items that contain them, that the write touches in the table. */
function writeTargets(write: Write, tableName: string): Item[] {
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
        const keyedWrite = Update ?? Delete ?? ConditionCheck;
        const { TableName } = Put ?? keyedWrite ?? {};
        return TableName === tableName ? [Put?.Item ?? keyedWrite?.Key ?? {}] : [];
      });
  }
}

function batchTargets(requests: BatchWriteItemCommandInput["RequestItems"], tableName: string): Item[] {
  return (requests?.[tableName] ?? []).map(
    ({ PutRequest, DeleteRequest }) => PutRequest?.Item ?? DeleteRequest?.Key ?? {},
  );
}

/** The unprocessed items of a batch. */
function unprocessedItems(output: unknown, tableName: string): Item[] {
  const { UnprocessedItems } = (output ?? {}) as Partial<BatchWriteItemCommandOutput>;
  return batchTargets(UnprocessedItems, tableName);
}

/** A cancelled transaction returns no figure. Billing every item of it by the stored item is the upper bound. */
function isConditionFailure(error: unknown): boolean {
  const { name, CancellationReasons } = error as { name?: string; CancellationReasons?: { Code?: string }[] };
  if (name === "ConditionalCheckFailedException") return true;
  return CancellationReasons?.some(({ Code }) => Code === "ConditionalCheckFailed") ?? false;
}

/** The SDK generates a token for each send and repeats it in its retries. Only the request contains it. */
function clientRequestToken(request: unknown): string | null {
  const { body, input } = request as { body?: string | Uint8Array; input?: object };
  const { ClientRequestToken } = (input ?? JSON.parse(toText(body ?? ""))) as Record<string, unknown>;
  return typeof ClientRequestToken === "string" ? ClientRequestToken : null;
}

/** Not with `Buffer.from`: it reads the SDK's body as a string, of which the SDK warns. */
function toText(body: string | Uint8Array): string {
  return typeof body === "string" ? body : new TextDecoder().decode(body);
}

function sum<T>(values: readonly T[], units: (value: T) => number): number {
  return values.reduce((total, value) => total + units(value), 0);
}
