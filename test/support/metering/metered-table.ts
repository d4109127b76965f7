import { type DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { table } from "#base/config/names.ts";
import { startTestTable } from "../dynamodb.ts";
import { type Item, itemSize } from "../item-size.ts";
import { attachMeter, type Meter } from "../meter.ts";

/** A table for the meter's own tests: one per file, with a fresh meter and a fresh partition for each test. */
export interface MeteredTable {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly meter: Meter;
  /** The partition key of the current test. */
  readonly pk: string;
  key(sk?: string): Item;
  /** An item of exactly `bytes`. */
  item(bytes: number, attributes?: Item, sk?: string): Item;
  put(item: Item, condition?: string): Promise<unknown>;
  wcu(work: () => Promise<unknown>): Promise<number>;
  rcu(work: () => Promise<unknown>): Promise<number>;
}

/** Registers the hooks of the calling test file. Use the result only within tests. */
export function useMeteredTable(): MeteredTable {
  let testTable: Awaited<ReturnType<typeof startTestTable>>;
  let meter: Meter;
  let count = 0;
  beforeAll(async () => {
    testTable = await startTestTable();
  });
  afterAll(() => testTable.close());
  beforeEach(() => {
    count += 1;
    meter = attachMeter(testTable.client, testTable.tableName);
  });
  afterEach(() => meter.close());

  const key = (sk = "a"): Item => ({ PK: { S: `p${count}` }, SK: { S: sk } });
  return {
    get client() {
      return testTable.client;
    },
    get tableName() {
      return testTable.tableName;
    },
    get meter() {
      return meter;
    },
    get pk() {
      return `p${count}`;
    },
    key,
    item: (bytes, attributes = {}, sk = "a") => {
      const base: Item = { ...key(sk), ...attributes, d: { S: "" } };
      return { ...base, d: { S: "x".repeat(bytes - itemSize(base)) } };
    },
    put: (item, condition) => {
      const input = { TableName: testTable.tableName, Item: item };
      const conditional = condition === undefined ? input : { ...input, ConditionExpression: condition };
      return testTable.client.send(new PutItemCommand(conditional));
    },
    wcu: async (work) => (await meter.measure("work", work)).wcu,
    rcu: async (work) => (await meter.measure("work", work)).rcu,
  };
}

/** The attributes that put an item into the feed index. */
export function feedAttributes(f: string, g: string): Item {
  return { [table.feedIndex.partitionKey]: { S: f }, [table.feedIndex.sortKey]: { S: g } };
}

/** The attribute that puts an item into the ID index. */
export function idAttributes(i: string): Item {
  return { [table.idIndex.partitionKey]: { S: i } };
}
