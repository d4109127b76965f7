import {
  BatchGetItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactGetItemsCommand,
} from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { table } from "#base/config/names.ts";
import { startTestTable } from "./dynamodb.ts";
import { attachMeter } from "./meter.ts";
import { feedAttributes, idAttributes, useMeteredTable } from "./metering/metered-table.ts";

const metered = useMeteredTable();

const get = (sk: string, consistent: boolean) => () =>
  metered.client.send(
    new GetItemCommand({ TableName: metered.tableName, Key: metered.key(sk), ConsistentRead: consistent }),
  );

test("reads cost one unit per 4 KB, half when eventually consistent, and the minimum for a missing item", async () => {
  await metered.put(metered.item(4096));
  await metered.put(metered.item(4097, {}, "b"));
  expect(await metered.rcu(get("a", true))).toBe(1);
  expect(await metered.rcu(get("b", true))).toBe(2);
  expect(await metered.rcu(get("b", false))).toBe(1);
  expect(await metered.rcu(get("none", true))).toBe(1);
  expect(await metered.rcu(get("none", false))).toBe(0.5);
});

test("reads cost the same with a projection", async () => {
  await metered.put(metered.item(9000));
  const input = { TableName: metered.tableName, Key: metered.key(), ProjectionExpression: "SK" };
  expect(await metered.rcu(() => metered.client.send(new GetItemCommand(input)))).toBe(1.5);
});

test("reads of a batch are rounded item by item", async () => {
  await metered.put(metered.item(100));
  await metered.put(metered.item(5000, {}, "b"));
  const Keys = [metered.key("a"), metered.key("b"), metered.key("none")];
  const batch = (ConsistentRead: boolean) => () =>
    metered.client.send(new BatchGetItemCommand({ RequestItems: { [metered.tableName]: { Keys, ConsistentRead } } }));
  expect(await metered.rcu(batch(true))).toBe(1 + 2 + 1);
  expect(await metered.rcu(batch(false))).toBe(2);
});

test("reads of a batch that stops at 16 MB cost what it read", async () => {
  const sks = Array.from({ length: 45 }, (_, i) => `s${i}`);
  for (const sk of sks) await metered.put(metered.item(400_000, {}, sk));
  const input = { RequestItems: { [metered.tableName]: { Keys: sks.map(metered.key) } } };
  let read = 0;
  const cost = await metered.rcu(async () => {
    read = (await metered.client.send(new BatchGetItemCommand(input))).Responses?.[metered.tableName]?.length ?? 0;
  });
  expect(read).toBeGreaterThan(30);
  expect(cost).toBe((read * Math.ceil(400_000 / 4096)) / 2);
});

test("reads of a transaction cost double, for missing items too", async () => {
  await metered.put(metered.item(5000));
  const TransactItems = ["a", "none"].map((sk) => ({ Get: { TableName: metered.tableName, Key: metered.key(sk) } }));
  expect(await metered.rcu(() => metered.client.send(new TransactGetItemsCommand({ TransactItems })))).toBe(4 + 2);
});

const query = (more: object = {}) => ({
  TableName: metered.tableName,
  KeyConditionExpression: "PK = :p",
  ExpressionAttributeValues: { ":p": { S: metered.pk } },
  ...more,
});
const send = (more?: object) => () => metered.client.send(new QueryCommand(query(more)));

test("queries and scans cost the sum of the rows, rounded once", async () => {
  for (const sk of ["a", "b", "c"]) await metered.put(metered.item(1500, {}, sk));
  expect(await metered.rcu(send({ ConsistentRead: true }))).toBe(2);
  expect(await metered.rcu(send())).toBe(1);
  expect(await metered.rcu(send({ Limit: 2 }))).toBe(0.5);
  expect(await metered.rcu(send({ Select: "COUNT" }))).toBe(1);
});

test("queries and scans cost the minimum without a match", async () => {
  expect(await metered.rcu(send())).toBe(0.5);
});

test("queries and scans cost the rows that the filter drops, and the same with a projection", async () => {
  for (const sk of ["a", "b", "c"]) await metered.put(metered.item(4096, {}, sk));
  const filtered = send({
    FilterExpression: "#d = :none",
    ProjectionExpression: "#s",
    ExpressionAttributeNames: { "#d": "d", "#s": "SK" },
    ExpressionAttributeValues: { ":p": { S: metered.pk }, ":none": { S: "none" } },
  });
  expect(await metered.rcu(filtered)).toBe(1.5);
});

test("queries and scans start a page after its start key, in the requested direction", async () => {
  await metered.put(metered.item(100, {}, "a"));
  await metered.put(metered.item(9000, {}, "b"));
  await metered.put(metered.item(100, {}, "c"));
  expect(await metered.rcu(send({ ExclusiveStartKey: metered.key("b"), ScanIndexForward: true }))).toBe(0.5);
  expect(await metered.rcu(send({ ExclusiveStartKey: metered.key("c"), ScanIndexForward: false, Limit: 1 }))).toBe(1.5);
});

test("queries and scans cost one megabyte for a page that stops at one megabyte", async () => {
  for (const sk of ["a", "b", "c", "d"]) await metered.put(metered.item(400_000, {}, sk));
  let rows = 0;
  const cost = await metered.rcu(async () => {
    rows = (await metered.client.send(new QueryCommand(query()))).Count ?? 0;
  });
  expect(rows).toBeLessThan(4);
  expect(cost).toBe(Math.ceil((rows * 400_000) / 4096) / 2);
});

test("queries and scans of an index cost the attributes that it copies", async () => {
  for (const sk of ["a", "b"])
    await metered.put(
      metered.item(6000, { ...feedAttributes(`f${metered.pk}`, sk), ...idAttributes(`i${metered.pk}`) }, sk),
    );
  const queryIndex = (IndexName: string, name: string, value: string) =>
    send({
      IndexName,
      KeyConditionExpression: `${name} = :v`,
      ExpressionAttributeValues: { ":v": { S: value } },
    });
  expect(await metered.rcu(queryIndex(table.feedIndex.name, table.feedIndex.partitionKey, `f${metered.pk}`))).toBe(1.5);
  expect(await metered.rcu(queryIndex(table.idIndex.name, table.idIndex.partitionKey, `i${metered.pk}`))).toBe(0.5);
});

test("queries and scans cost every row that a scan passes", async () => {
  const otherTable = await startTestTable();
  const scanned = attachMeter(otherTable.client, otherTable.tableName);
  for (const sk of ["a", "b", "c"]) {
    await otherTable.client.send(
      new PutItemCommand({ TableName: otherTable.tableName, Item: metered.item(5000, {}, sk) }),
    );
  }
  const scan = (more: object = {}) =>
    otherTable.client.send(new ScanCommand({ TableName: otherTable.tableName, ...more }));
  expect((await scanned.measure("all", () => scan())).rcu).toBe(2);
  expect((await scanned.measure("two", () => scan({ Limit: 2, ConsistentRead: true }))).rcu).toBe(3);
  scanned.close();
  await otherTable.close();
});
