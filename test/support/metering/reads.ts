import {
  type BatchGetItemCommandInput,
  type BatchGetItemCommandOutput,
  type GetItemCommandInput,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  type ScanCommandInput,
  type TransactGetItemsCommandInput,
} from "@aws-sdk/client-dynamodb";
import { type Item, itemSize, readUnits } from "../item-size.ts";
import type { Attempt, Sent } from "./attempt.ts";
import { withLocks } from "./locks.ts";
import { canonical, pick, typedKey } from "./schema.ts";
import type { Source } from "./source.ts";

/** The inputs of the operations that read items by their keys. */
export type GetInputs = {
  GetItem: GetItemCommandInput;
  BatchGetItem: BatchGetItemCommandInput;
  TransactGetItems: TransactGetItemsCommandInput;
};
export type Get = { [Name in keyof GetInputs]: { name: Name; input: GetInputs[Name] } }[keyof GetInputs];

export type PageInputs = { Query: QueryCommandInput; Scan: ScanCommandInput };
export type Page = { [Name in keyof PageInputs]: { name: Name; input: PageInputs[Name] } }[keyof PageInputs];

/** Sends a read by keys and notes what it costs: each item rounded up on its own, a missing one as the smallest. */
export function getMeter(source: Source): <S extends Sent>(get: Get, attempt: Attempt<S>) => Promise<S> | null {
  return (get, { send, note }) => {
    const { keys, perUnit } = keysOf(get, source.tableName);
    if (keys.length === 0) return null;
    const names = keys.map((key) => `${source.tableName} ${canonical(key)}`);
    return withLocks(names, async () => {
      const sent = await send();
      const undone = leftOver(sent.output, source.tableName).map((key) => canonical(typedKey(key)));
      const read = keys.filter((key) => !undone.includes(canonical(key)));
      const items = await Promise.all(read.map(source.get));
      note({ rcu: items.reduce((sum, item) => sum + readUnits(item === null ? 0 : itemSize(item)) * perUnit, 0) });
      return sent;
    });
  };
}

/**
 * Sends a query or scan and notes what it costs: the sizes of all rows examined, before filter and projection, added
 * up and then rounded. The meter reads the same rows once more, so a row that another operation changes in between is
 * sized as it is afterwards.
 */
export function pageMeter(source: Source): <S extends Sent>(page: Page, attempt: Attempt<S>) => Promise<S> | null {
  return (page, { send, note }) => {
    if (page.input.TableName !== source.tableName) return null;
    return send().then(async (sent) => {
      const bytes = await bytesExamined(source, page, rowsExamined(page, sent.output));
      note({ rcu: readUnits(bytes) * (page.input.ConsistentRead ? 1 : 0.5) });
      return sent;
    });
  };
}

function keysOf(get: Get, tableName: string): { keys: Item[]; perUnit: number } {
  switch (get.name) {
    case "GetItem": {
      const { TableName, Key, ConsistentRead } = get.input;
      return { keys: TableName === tableName && Key ? [Key] : [], perUnit: ConsistentRead ? 1 : 0.5 };
    }
    case "BatchGetItem": {
      const { Keys = [], ConsistentRead } = get.input.RequestItems?.[tableName] ?? {};
      return { keys: Keys, perUnit: ConsistentRead ? 1 : 0.5 };
    }
    case "TransactGetItems": {
      const gets = (get.input.TransactItems ?? []).flatMap(({ Get }) => (Get?.TableName === tableName ? Get : []));
      return { keys: gets.flatMap(({ Key }) => (Key ? [Key] : [])), perUnit: 2 };
    }
  }
}

function leftOver(output: unknown, tableName: string): Item[] {
  const { UnprocessedKeys } = (output ?? {}) as Partial<BatchGetItemCommandOutput>;
  return UnprocessedKeys?.[tableName]?.Keys ?? [];
}

/** Without a filter all examined rows are returned; dynoxide then also counts the one that no longer fits a page. */
function rowsExamined({ input }: Page, output: unknown): number {
  const { Count = 0, ScannedCount = 0 } = (output ?? {}) as { Count?: number; ScannedCount?: number };
  return input.FilterExpression === undefined ? Count : ScannedCount;
}

async function bytesExamined(source: Source, page: Page, rows: number): Promise<number> {
  let bytes = 0;
  let left = rows;
  let start = page.input.ExclusiveStartKey;
  while (left > 0) {
    const { Items = [], LastEvaluatedKey } = await readAgain(source, page, left, start);
    bytes += Items.reduce((sum, item) => sum + itemSize(item), 0);
    left -= Items.length;
    if (LastEvaluatedKey === undefined) break;
    start = LastEvaluatedKey;
  }
  return bytes;
}

function readAgain(source: Source, page: Page, rows: number, start: Item | undefined) {
  const { TableName, IndexName } = page.input;
  const where = {
    TableName,
    Limit: rows,
    ...(IndexName === undefined ? { ConsistentRead: true } : { IndexName }),
    ...(start === undefined ? {} : { ExclusiveStartKey: start }),
  };
  if (page.name === "Scan") {
    const { Segment, TotalSegments } = page.input;
    const part = Segment === undefined || TotalSegments === undefined ? {} : { Segment, TotalSegments };
    return source.client.send(new ScanCommand({ ...where, ...part }));
  }
  return source.client.send(new QueryCommand({ ...where, ...keyCondition(page.input) }));
}

/** The key condition alone, with only the names and values it uses: the engine refuses unused ones. */
function keyCondition(input: QueryCommandInput) {
  const {
    KeyConditionExpression: condition,
    ScanIndexForward,
    ExpressionAttributeNames,
    ExpressionAttributeValues,
  } = input;
  if (condition === undefined) throw new Error("The meter knows queries by KeyConditionExpression only: use one.");
  const used: readonly string[] = condition.match(/[#:]\w+/g) ?? [];
  const names = Object.entries(ExpressionAttributeNames ?? {}).filter(([name]) => used.includes(name));
  return {
    KeyConditionExpression: condition,
    ...(ScanIndexForward === undefined ? {} : { ScanIndexForward }),
    ...(names.length === 0 ? {} : { ExpressionAttributeNames: Object.fromEntries(names) }),
    ExpressionAttributeValues: pick(ExpressionAttributeValues ?? {}, used),
  };
}
