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
import { describe, expect, test } from "vitest";
import { startTestTable } from "./dynamo.ts";
import { injectFaults } from "./faults.ts";
import { meterOf } from "./meter.ts";
import { useMeteredTable } from "./metered-table.ts";

const on = useMeteredTable();

describe("the meter", () => {
  test("counts a document client made of the client", async () => {
    const documents = DynamoDBDocumentClient.from(on.client);
    const { PK, SK } = { PK: on.pk, SK: "a" };
    const cost = await on.meter.during("documents", async () => {
      await documents.send(new PutCommand({ TableName: on.tableName, Item: { PK, SK, d: "x".repeat(1500) } }));
      await documents.send(new GetCommand({ TableName: on.tableName, Key: { PK, SK } }));
      const all = { KeyConditionExpression: "PK = :p", ExpressionAttributeValues: { ":p": PK } };
      await documents.send(new QueryDocuments({ TableName: on.tableName, ...all }));
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

  test("attaches to a document client as well", async () => {
    on.meter.close();
    const documents = DynamoDBDocumentClient.from(on.client);
    const meter = meterOf(documents, on.tableName);
    const write = () => documents.send(new PutCommand({ TableName: on.tableName, Item: { PK: on.pk, SK: "a" } }));
    expect(await meter.during("write", write)).toMatchObject({ wcu: 1, requests: 1 });
    meter.close();
  });

  test("gives a document client's batch its leftovers unharmed and does not bill them", async () => {
    const sks = Array.from({ length: 45 }, (_, i) => `s${i}`);
    for (const sk of sks) await on.put(on.item(400_000, {}, sk));
    const Keys = sks.map((SK) => ({ PK: on.pk, SK }));
    const documents = DynamoDBDocumentClient.from(on.client);
    let read = 0;
    const cost = await on.rcu(async () => {
      const answer = await documents.send(new BatchGetCommand({ RequestItems: { [on.tableName]: { Keys } } }));
      read = answer.Responses?.[on.tableName]?.length ?? 0;
      expect(answer.UnprocessedKeys?.[on.tableName]?.Keys?.[0]?.PK).toBe(on.pk);
    });
    expect(cost).toBe((read * Math.ceil(400_000 / 4096)) / 2);
  });

  test("bills every write of many at once exactly", async () => {
    const add = () =>
      on.client.send(
        new UpdateItemCommand({
          TableName: on.tableName,
          Key: on.key(),
          UpdateExpression: "SET F = :f, G = :g ADD n :one",
          ExpressionAttributeValues: { ":f": { S: "f" }, ":g": { S: "g" }, ":one": { N: "1" } },
        }),
      );
    expect(await on.wcu(() => Promise.all(Array.from({ length: 40 }, add)))).toBe(80);
  });

  test("lets transactions that share items in any order through", async () => {
    const touch = (sks: string[]) =>
      on.client.send(
        new TransactWriteItemsCommand({
          TransactItems: sks.map((sk) => ({ Put: { TableName: on.tableName, Item: on.item(100, {}, sk) } })),
        }),
      );
    const orders = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? ["a", "b"] : ["b", "a"]));
    expect(await on.wcu(() => Promise.all(orders.map(touch)))).toBe(20 * 4);
  });

  test("bills a request that was delivered twice twice", async () => {
    const stop = injectFaults(on.client, () => "twice");
    const cost = await on.meter.during("twice", () => on.put(on.item(100)));
    stop();
    expect(cost).toMatchObject({ wcu: 2, requests: 2 });
  });

  test("ignores other tables and calls that cost nothing", async () => {
    const other = await startTestTable();
    const Item = on.item(100);
    const cost = await on.meter.during("others", async () => {
      await on.client.send(new PutItemCommand({ TableName: other.tableName, Item }));
      await on.client.send(new QueryCommand(queryOf(other.tableName)));
      await on.client.send(new DescribeTableCommand({ TableName: on.tableName }));
    });
    await other.close();
    expect(cost).toEqual({ wcu: 0, rcu: 0, requests: 0, byOperation: {} });
  });

  test("refuses what it cannot bill, instead of billing nothing", async () => {
    const statement = { Statement: `SELECT * FROM "${on.tableName}"` };
    await expect(on.client.send(new ExecuteStatementCommand(statement))).rejects.toThrow(/cannot bill/);
  });

  test("sums what a name cost over its runs, and all in the total", async () => {
    await on.meter.during("a", () => on.put(on.item(100)));
    await on.meter.during("a", () => on.put(on.item(2000)));
    await on.meter.during("b", () => on.put(on.item(100)));
    expect(on.meter.named()).toMatchObject({ a: { wcu: 3, requests: 2 }, b: { wcu: 2, requests: 1 } });
    expect(on.meter.total()).toMatchObject({ wcu: 5, rcu: 0, requests: 3 });
  });

  test("passes on the failure of what it measures", async () => {
    await expect(on.meter.during("bad", () => Promise.reject(new Error("mine")))).rejects.toThrow("mine");
  });

  test("is one per client and table, and stops when closed", async () => {
    expect(() => meterOf(on.client, on.tableName)).toThrow(/meter/);
    on.meter.close();
    await on.put(on.item(100));
    expect(on.meter.total().requests).toBe(0);
  });
});

function queryOf(TableName: string) {
  return { TableName, KeyConditionExpression: "PK = :p", ExpressionAttributeValues: { ":p": { S: "p" } } };
}
