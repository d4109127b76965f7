import {
  DescribeTableCommand,
  ExecuteStatementCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand as QueryDocuments,
} from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { startTestTable } from "./dynamodb.ts";
import { injectFaults } from "./faults.ts";
import { attachMeter } from "./meter.ts";
import { useMeteredTable } from "./metering/metered-table.ts";

const metered = useMeteredTable();

test("the meter counts a document client made of the client", async () => {
  const documents = DynamoDBDocumentClient.from(metered.client);
  const { PK, SK } = { PK: metered.pk, SK: "a" };
  const cost = await metered.meter.measure("documents", async () => {
    await documents.send(new PutCommand({ TableName: metered.tableName, Item: { PK, SK, d: "x".repeat(1500) } }));
    await documents.send(new GetCommand({ TableName: metered.tableName, Key: { PK, SK } }));
    const all = { KeyConditionExpression: "PK = :p", ExpressionAttributeValues: { ":p": PK } };
    await documents.send(new QueryDocuments({ TableName: metered.tableName, ...all }));
  });
  expect(cost).toEqual({
    wcu: 2,
    rcu: 1,
    requests: 3,
    byOperation: {
      PutItem: { wcu: 2, rcu: 0, requests: 1 },
      GetItem: { wcu: 0, rcu: 0.5, requests: 1 },
      Query: { wcu: 0, rcu: 0.5, requests: 1 },
    },
  });
});

test("the meter attaches to a document client as well", async () => {
  metered.meter.close();
  const documents = DynamoDBDocumentClient.from(metered.client);
  const meter = attachMeter(documents, metered.tableName);
  const write = () =>
    documents.send(new PutCommand({ TableName: metered.tableName, Item: { PK: metered.pk, SK: "a" } }));
  expect(await meter.measure("write", write)).toMatchObject({ wcu: 1, requests: 1 });
  meter.close();
});

test("the meter returns a document client's unprocessed items unchanged and does not bill them", async () => {
  const sks = Array.from({ length: 45 }, (_, i) => `s${i}`);
  for (const sk of sks) await metered.put(metered.item(400_000, {}, sk));
  const Keys = sks.map((SK) => ({ PK: metered.pk, SK }));
  const documents = DynamoDBDocumentClient.from(metered.client);
  let read = 0;
  const cost = await metered.rcu(async () => {
    const answer = await documents.send(new BatchGetCommand({ RequestItems: { [metered.tableName]: { Keys } } }));
    read = answer.Responses?.[metered.tableName]?.length ?? 0;
    expect(answer.UnprocessedKeys?.[metered.tableName]?.Keys?.[0]?.PK).toBe(metered.pk);
  });
  expect(cost).toBe((read * Math.ceil(400_000 / 4096)) / 2);
});

test("the meter bills every one of many concurrent writes exactly", async () => {
  const add = () =>
    metered.client.send(
      new UpdateItemCommand({
        TableName: metered.tableName,
        Key: metered.key(),
        UpdateExpression: "SET F = :f, G = :g ADD n :one",
        ExpressionAttributeValues: { ":f": { S: "f" }, ":g": { S: "g" }, ":one": { N: "1" } },
      }),
    );
  expect(await metered.wcu(() => Promise.all(Array.from({ length: 40 }, add)))).toBe(80);
});

test("the meter does not block transactions that share items in any order", async () => {
  const writeAll = (sks: string[]) =>
    metered.client.send(
      new TransactWriteItemsCommand({
        TransactItems: sks.map((sk) => ({ Put: { TableName: metered.tableName, Item: metered.item(100, {}, sk) } })),
      }),
    );
  const orders = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? ["a", "b"] : ["b", "a"]));
  expect(await metered.wcu(() => Promise.all(orders.map(writeAll)))).toBe(20 * 4);
});

test("the meter bills a request that was delivered twice twice", async () => {
  const stop = injectFaults(metered.client, () => "twice");
  const cost = await metered.meter.measure("twice", () => metered.put(metered.item(100)));
  stop();
  expect(cost).toMatchObject({ wcu: 2, requests: 2 });
});

test("the meter ignores other tables and calls that cost nothing", async () => {
  const other = await startTestTable();
  const Item = metered.item(100);
  const cost = await metered.meter.measure("others", async () => {
    await metered.client.send(new PutItemCommand({ TableName: other.tableName, Item }));
    await metered.client.send(new QueryCommand(queryInput(other.tableName)));
    await metered.client.send(new DescribeTableCommand({ TableName: metered.tableName }));
  });
  await other.close();
  expect(cost).toEqual({ wcu: 0, rcu: 0, requests: 0, byOperation: {} });
});

test("the meter throws for an operation that it cannot bill", async () => {
  const statement = { Statement: `SELECT * FROM "${metered.tableName}"` };
  await expect(metered.client.send(new ExecuteStatementCommand(statement))).rejects.toThrow(/cannot bill/);
});

test("the meter sums the cost of a name over its runs, and all costs in the total", async () => {
  await metered.meter.measure("a", () => metered.put(metered.item(100)));
  await metered.meter.measure("a", () => metered.put(metered.item(2000)));
  await metered.meter.measure("b", () => metered.put(metered.item(100)));
  expect(metered.meter.byName()).toMatchObject({ a: { wcu: 3, requests: 2 }, b: { wcu: 2, requests: 1 } });
  expect(metered.meter.total()).toMatchObject({ wcu: 5, rcu: 0, requests: 3 });
});

test("the meter passes on the error of the measured function", async () => {
  await expect(metered.meter.measure("bad", () => Promise.reject(new Error("mine")))).rejects.toThrow("mine");
});

test("the meter is one per client and table, and stops when closed", async () => {
  expect(() => attachMeter(metered.client, metered.tableName)).toThrow(/meter/);
  metered.meter.close();
  await metered.put(metered.item(100));
  expect(metered.meter.total().requests).toBe(0);
});

function queryInput(TableName: string) {
  return { TableName, KeyConditionExpression: "PK = :p", ExpressionAttributeValues: { ":p": { S: "p" } } };
}
