import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { CreateTableCommand, DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { BatchWriteCommand, DynamoDBDocumentClient, PutCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { env } from "#base/config/names.ts";
import { sweepCheckpointKey } from "#features/delivery/store/items.ts";
import { clientSettings } from "../../support/access/access-keys.ts";
import type { LocalStack } from "./local-stack.ts";

/** A stored item. Its attributes are listed in docs/design/table-keys.md. */
export type StoredItem = Readonly<Record<string, unknown>> & { readonly PK: string; readonly SK: string };

/** All items of a stack's table as one string. */
export async function dumpTable(stack: Pick<LocalStack, "dataDir">): Promise<string> {
  return JSON.stringify(await readTable(stack));
}

/** All items of a stack's table. */
export function readTable(stack: Pick<LocalStack, "dataDir">): Promise<StoredItem[]> {
  return withTable(stack, scan);
}

/**
 * Writes earlier items of a stack's table again and deletes all later ones, except those that work in progress needs:
 * endpoints, deleted or not, and the checkpoints of the sweeps.
 */
export async function restoreTable(stack: Pick<LocalStack, "dataDir">, items: readonly StoredItem[]): Promise<void> {
  await withTable(stack, async (client, tableName) => {
    const remaining = new Map(items.map((item) => [keyText(item), item]));
    const requests: WriteRequest[] = [];
    for (const current of await scan(client, tableName)) {
      const earlier = remaining.get(keyText(current));
      remaining.delete(keyText(current));
      if (earlier === undefined && !isNeededByWork(current))
        requests.push({ DeleteRequest: { Key: { PK: current.PK, SK: current.SK } } });
      if (earlier !== undefined && !isDeepStrictEqual(earlier, current)) requests.push(putRequest(earlier));
    }
    requests.push(...[...remaining.values()].map(putRequest));
    for (let start = 0; start < requests.length; start += BATCH_ITEMS_MAX) {
      const batch = { [tableName]: requests.slice(start, start + BATCH_ITEMS_MAX) };
      const { UnprocessedItems = {} } = await client.send(new BatchWriteCommand({ RequestItems: batch }));
      if (Object.keys(UnprocessedItems).length > 0) throw new Error("The table did not write a whole batch.");
    }
  });
}

/** Creates another table in the stack's engine, with the keys and indexes of its table, and writes these items into it. */
export async function createCopy(
  stack: Pick<LocalStack, "dataDir">,
  TableName: string,
  items: readonly StoredItem[],
): Promise<void> {
  await withTable(stack, async (client, tableName) => {
    const { Table = {} } = await client.send(new DescribeTableCommand({ TableName: tableName }));
    const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes = [] } = Table;
    const indexes = GlobalSecondaryIndexes.map(({ IndexName, KeySchema: keys, Projection }) => ({
      ...{ IndexName, KeySchema: keys, Projection },
    }));
    await client.send(
      new CreateTableCommand({
        ...{ TableName, KeySchema, AttributeDefinitions, BillingMode: "PAY_PER_REQUEST" },
        GlobalSecondaryIndexes: indexes,
      }),
    );
    for (const Item of items) await client.send(new PutCommand({ TableName, Item }));
  });
}

/** All items of a copy. */
export function readCopy(stack: Pick<LocalStack, "dataDir">, name: string): Promise<StoredItem[]> {
  return withTable(stack, (client) => scan(client, name));
}

/** DynamoDB's limit of a batch. */
const BATCH_ITEMS_MAX = 25;

type WriteRequest = { DeleteRequest: { Key: { PK: string; SK: string } } } | { PutRequest: { Item: StoredItem } };

const putRequest = (item: StoredItem): WriteRequest => ({ PutRequest: { Item: item } });
const keyText = ({ PK, SK }: StoredItem): string => JSON.stringify([PK, SK]);
const isNeededByWork = ({ SK }: StoredItem): boolean => SK.startsWith("WH#") || SK === sweepCheckpointKey.SK;

async function scan(client: DynamoDBDocumentClient, TableName: string): Promise<StoredItem[]> {
  const rows: StoredItem[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const page = await client.send(new ScanCommand({ TableName, ExclusiveStartKey }));
    rows.push(...((page.Items ?? []) as StoredItem[]));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return rows;
}

async function withTable<T>(
  { dataDir }: Pick<LocalStack, "dataDir">,
  use: (client: DynamoDBDocumentClient, tableName: string) => Promise<T>,
): Promise<T> {
  const environment = JSON.parse(readFileSync(join(dataDir, "environment.json"), "utf8")) as Record<string, string>;
  const dynamo = new DynamoDBClient({
    ...clientSettings(environment),
    endpoint: environment.AWS_ENDPOINT_URL_DYNAMODB ?? "",
  });
  try {
    return await use(DynamoDBDocumentClient.from(dynamo), environment[env.table] ?? "");
  } finally {
    dynamo.destroy();
  }
}
