import {
  BatchGetItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactGetItemsCommand,
} from "@aws-sdk/client-dynamodb";
import { describe, expect, test } from "vitest";
import { table } from "../../shared/config/names.ts";
import { startTestTable } from "./dynamo.ts";
import { meterOf } from "./meter.ts";
import { byId, feed, useMeteredTable } from "./metered-table.ts";

const on = useMeteredTable();

describe("reads", () => {
  const get = (sk: string, consistent: boolean) => () =>
    on.client.send(new GetItemCommand({ TableName: on.tableName, Key: on.key(sk), ConsistentRead: consistent }));

  test("cost one unit for four kilobytes, half of it when eventually consistent, and the least for nothing", async () => {
    await on.put(on.item(4096));
    await on.put(on.item(4097, {}, "b"));
    expect(await on.rcu(get("a", true))).toBe(1);
    expect(await on.rcu(get("b", true))).toBe(2);
    expect(await on.rcu(get("b", false))).toBe(1);
    expect(await on.rcu(get("none", true))).toBe(1);
    expect(await on.rcu(get("none", false))).toBe(0.5);
  });

  test("a projection makes a read no cheaper", async () => {
    await on.put(on.item(9000));
    const input = { TableName: on.tableName, Key: on.key(), ProjectionExpression: "SK" };
    expect(await on.rcu(() => on.client.send(new GetItemCommand(input)))).toBe(1.5);
  });

  test("a batch rounds every item by itself", async () => {
    await on.put(on.item(100));
    await on.put(on.item(5000, {}, "b"));
    const Keys = [on.key("a"), on.key("b"), on.key("none")];
    const batch = (ConsistentRead: boolean) => () =>
      on.client.send(new BatchGetItemCommand({ RequestItems: { [on.tableName]: { Keys, ConsistentRead } } }));
    expect(await on.rcu(batch(true))).toBe(1 + 2 + 1);
    expect(await on.rcu(batch(false))).toBe(2);
  });

  test("a batch that stops at 16 MB costs what it read", async () => {
    const sks = Array.from({ length: 45 }, (_, i) => `s${i}`);
    for (const sk of sks) await on.put(on.item(400_000, {}, sk));
    const input = { RequestItems: { [on.tableName]: { Keys: sks.map(on.key) } } };
    let read = 0;
    const cost = await on.rcu(async () => {
      read = (await on.client.send(new BatchGetItemCommand(input))).Responses?.[on.tableName]?.length ?? 0;
    });
    expect(read).toBeGreaterThan(30);
    expect(cost).toBe((read * Math.ceil(400_000 / 4096)) / 2);
  });

  test("a transaction doubles, for missing items too", async () => {
    await on.put(on.item(5000));
    const TransactItems = ["a", "none"].map((sk) => ({ Get: { TableName: on.tableName, Key: on.key(sk) } }));
    expect(await on.rcu(() => on.client.send(new TransactGetItemsCommand({ TransactItems })))).toBe(4 + 2);
  });
});

describe("queries and scans", () => {
  const query = (more: object = {}) => ({
    TableName: on.tableName,
    KeyConditionExpression: "PK = :p",
    ExpressionAttributeValues: { ":p": { S: on.pk } },
    ...more,
  });
  const send = (more?: object) => () => on.client.send(new QueryCommand(query(more)));

  test("cost the sum of the rows, rounded once", async () => {
    for (const sk of ["a", "b", "c"]) await on.put(on.item(1500, {}, sk));
    expect(await on.rcu(send({ ConsistentRead: true }))).toBe(2);
    expect(await on.rcu(send())).toBe(1);
    expect(await on.rcu(send({ Limit: 2 }))).toBe(0.5);
    expect(await on.rcu(send({ Select: "COUNT" }))).toBe(1);
  });

  test("nothing found costs the least", async () => {
    expect(await on.rcu(send())).toBe(0.5);
  });

  test("rows that the filter drops are paid for, and a projection saves nothing", async () => {
    for (const sk of ["a", "b", "c"]) await on.put(on.item(4096, {}, sk));
    const filtered = send({
      FilterExpression: "#d = :none",
      ProjectionExpression: "#s",
      ExpressionAttributeNames: { "#d": "d", "#s": "SK" },
      ExpressionAttributeValues: { ":p": { S: on.pk }, ":none": { S: "none" } },
    });
    expect(await on.rcu(filtered)).toBe(1.5);
  });

  test("a page starts after its start key, in the direction asked for", async () => {
    await on.put(on.item(100, {}, "a"));
    await on.put(on.item(9000, {}, "b"));
    await on.put(on.item(100, {}, "c"));
    expect(await on.rcu(send({ ExclusiveStartKey: on.key("b"), ScanIndexForward: true }))).toBe(0.5);
    expect(await on.rcu(send({ ExclusiveStartKey: on.key("c"), ScanIndexForward: false, Limit: 1 }))).toBe(1.5);
  });

  test("a page that stops at one megabyte costs one megabyte", async () => {
    for (const sk of ["a", "b", "c", "d"]) await on.put(on.item(400_000, {}, sk));
    let rows = 0;
    const cost = await on.rcu(async () => {
      rows = (await on.client.send(new QueryCommand(query()))).Count ?? 0;
    });
    expect(rows).toBeLessThan(4);
    expect(cost).toBe(Math.ceil((rows * 400_000) / 4096) / 2);
  });

  test("an index is billed by what it copies", async () => {
    for (const sk of ["a", "b"]) await on.put(on.item(6000, { ...feed(`f${on.pk}`, sk), ...byId(`i${on.pk}`) }, sk));
    const through = (IndexName: string, name: string, value: string) =>
      send({
        IndexName,
        KeyConditionExpression: `${name} = :v`,
        ExpressionAttributeValues: { ":v": { S: value } },
      });
    expect(await on.rcu(through(table.feedIndex.name, table.feedIndex.partitionKey, `f${on.pk}`))).toBe(1.5);
    expect(await on.rcu(through(table.idIndex.name, table.idIndex.partitionKey, `i${on.pk}`))).toBe(0.5);
  });

  test("a scan costs every row it passes", async () => {
    const fresh = await startTestTable();
    const scanned = meterOf(fresh.client, fresh.tableName);
    for (const sk of ["a", "b", "c"]) {
      await fresh.client.send(new PutItemCommand({ TableName: fresh.tableName, Item: on.item(5000, {}, sk) }));
    }
    const scan = (more: object = {}) => fresh.client.send(new ScanCommand({ TableName: fresh.tableName, ...more }));
    expect((await scanned.during("all", () => scan())).rcu).toBe(2);
    expect((await scanned.during("two", () => scan({ Limit: 2, ConsistentRead: true }))).rcu).toBe(3);
    scanned.close();
    await fresh.close();
  });
});
