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
import { withLocks } from "./locks.ts";
import type { Attempt, HandlerOutput } from "./metered-attempt.ts";
import { canonicalJson, pickAttributes, typedKey } from "./schema.ts";
import type { UnmeteredTable } from "./unmetered-table.ts";

/** The inputs of the operations that read items by their keys. */
export type GetInputs = {
  GetItem: GetItemCommandInput;
  BatchGetItem: BatchGetItemCommandInput;
  TransactGetItems: TransactGetItemsCommandInput;
};
export type Get = { [Name in keyof GetInputs]: { name: Name; input: GetInputs[Name] } }[keyof GetInputs];

export type PageInputs = { Query: QueryCommandInput; Scan: ScanCommandInput };
export type Page = { [Name in keyof PageInputs]: { name: Name; input: PageInputs[Name] } }[keyof PageInputs];

/** Sends a read by keys and counts its cost: each item rounded up on its own, a missing one as the smallest. */
export function getMeter(
  source: UnmeteredTable,
): <S extends HandlerOutput>(get: Get, attempt: Attempt<S>) => Promise<S> | null {
  return (get, { send, addUnits }) => {
    const { keys, perUnit } = requestedKeys(get, source.tableName);
    if (keys.length === 0) return null;
    const names = keys.map((key) => `${source.tableName} ${canonicalJson(key)}`);
    return withLocks(names, async () => {
      const response = await send();
      const unprocessed = unprocessedKeys(response.output, source.tableName).map((key) => canonicalJson(typedKey(key)));
      const processed = keys.filter((key) => !unprocessed.includes(canonicalJson(key)));
      const items = await Promise.all(processed.map(source.get));
      addUnits({ rcu: items.reduce((sum, item) => sum + readUnits(item === null ? 0 : itemSize(item)) * perUnit, 0) });
      return response;
    });
  };
}

/**
 * Sends a query or scan and counts its cost: the sizes of all rows examined, before filter and projection, added up
 * and then rounded. The meter reads the same rows again, so a row that another operation changes in between has the
 * size it has afterwards.
 */
export function pageMeter(
  source: UnmeteredTable,
): <S extends HandlerOutput>(page: Page, attempt: Attempt<S>) => Promise<S> | null {
  return (page, { send, addUnits }) => {
    if (page.input.TableName !== source.tableName) return null;
    return send().then(async (response) => {
      const bytes = await bytesExamined(source, page, rowsExamined(page, response.output));
      addUnits({ rcu: readUnits(bytes) * (page.input.ConsistentRead ? 1 : 0.5) });
      return response;
    });
  };
}

function requestedKeys(get: Get, tableName: string): { keys: Item[]; perUnit: number } {
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

function unprocessedKeys(output: unknown, tableName: string): Item[] {
  const { UnprocessedKeys } = (output ?? {}) as Partial<BatchGetItemCommandOutput>;
  return UnprocessedKeys?.[tableName]?.Keys ?? [];
}

/** Without a filter all examined rows are returned; dynoxide then also counts the one that no longer fits a page. */
function rowsExamined({ input }: Page, output: unknown): number {
  const { Count = 0, ScannedCount = 0 } = (output ?? {}) as { Count?: number; ScannedCount?: number };
  return input.FilterExpression === undefined ? Count : ScannedCount;
}

async function bytesExamined(source: UnmeteredTable, page: Page, rows: number): Promise<number> {
  let bytes = 0;
  let remaining = rows;
  let start = page.input.ExclusiveStartKey;
  while (remaining > 0) {
    const { Items = [], LastEvaluatedKey } = await readPage(source, page, remaining, start);
    bytes += Items.reduce((sum, item) => sum + itemSize(item), 0);
    remaining -= Items.length;
    if (LastEvaluatedKey === undefined) break;
    start = LastEvaluatedKey;
  }
  return bytes;
}

function readPage(source: UnmeteredTable, page: Page, rows: number, start: Item | undefined) {
  const { TableName, IndexName } = page.input;
  const range = {
    TableName,
    Limit: rows,
    ...(IndexName === undefined ? { ConsistentRead: true } : { IndexName }),
    ...(start === undefined ? {} : { ExclusiveStartKey: start }),
  };
  if (page.name === "Scan") {
    const { Segment, TotalSegments } = page.input;
    const segment = Segment === undefined || TotalSegments === undefined ? {} : { Segment, TotalSegments };
    return source.client.send(new ScanCommand({ ...range, ...segment }));
  }
  return source.client.send(new QueryCommand({ ...range, ...keyCondition(page.input) }));
}

/** The key condition without other terms, with only the names and values it uses: the engine refuses unused ones. */
function keyCondition(input: QueryCommandInput) {
  const {
    KeyConditionExpression: condition,
    ScanIndexForward,
    ExpressionAttributeNames,
    ExpressionAttributeValues,
  } = input;
  if (condition === undefined) throw new Error("The meter knows queries by KeyConditionExpression only: use one.");
  const usedNames: readonly string[] = condition.match(/[#:]\w+/g) ?? [];
  const names = Object.entries(ExpressionAttributeNames ?? {}).filter(([name]) => usedNames.includes(name));
  return {
    KeyConditionExpression: condition,
    ...(ScanIndexForward === undefined ? {} : { ScanIndexForward }),
    ...(names.length === 0 ? {} : { ExpressionAttributeNames: Object.fromEntries(names) }),
    ExpressionAttributeValues: pickAttributes(ExpressionAttributeValues ?? {}, usedNames),
  };
}
