import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { injectFaults } from "./faults.ts";
import type { Item } from "./item-size.ts";
import { feedAttributes, idAttributes, useMeteredTable } from "./metering/metered-table.ts";

const metered = useMeteredTable();

test("a write to the table costs one unit a kilobyte, rounded up", async () => {
  expect(await metered.wcu(() => metered.put(metered.item(1024)))).toBe(1);
  expect(await metered.wcu(() => metered.put(metered.item(1025, {}, "b")))).toBe(2);
});

test("a write to the table costs the larger of the old item and the new", async () => {
  await metered.put(metered.item(3000));
  expect(await metered.wcu(() => metered.put(metered.item(100)))).toBe(3);
  expect(await metered.wcu(() => metered.put(metered.item(2000)))).toBe(2);
});

test("a write to the table costs the larger of before and after for an update", async () => {
  await metered.put(metered.item(2000));
  const update = (d: string) =>
    metered.client.send(
      new UpdateItemCommand({
        TableName: metered.tableName,
        Key: metered.key(),
        UpdateExpression: "SET d = :d",
        ExpressionAttributeValues: { ":d": { S: d } },
      }),
    );
  expect(await metered.wcu(() => update("x"))).toBe(2);
  expect(await metered.wcu(() => update("x"))).toBe(1);
  expect(await metered.wcu(() => update("x".repeat(3000)))).toBe(3);
});

test("a write to the table costs the deleted item for a delete, and one unit without an item", async () => {
  await metered.put(metered.item(2500));
  const remove = () => metered.client.send(new DeleteItemCommand({ TableName: metered.tableName, Key: metered.key() }));
  expect(await metered.wcu(remove)).toBe(3);
  expect(await metered.wcu(remove)).toBe(1);
});

test("a write to the table costs the stored item, at least one unit and no index, for a failed condition", async () => {
  const failing = (it: Item, condition: string) => () =>
    expect(metered.put(it, condition)).rejects.toThrow(/conditional request failed/i);
  expect(await metered.wcu(failing(metered.item(3000), "attribute_exists(PK)"))).toBe(1);
  await metered.put(metered.item(2000, feedAttributes("f", "1")));
  expect(await metered.wcu(failing(metered.item(5000, feedAttributes("f", "2")), "attribute_not_exists(PK)"))).toBe(2);
});

test("a write to the table costs nothing for an invalid request", async () => {
  expect(
    await metered.wcu(() => expect(metered.put({ PK: { S: "" }, SK: { S: "a" } })).rejects.toThrow(/empty string/)),
  ).toBe(0);
});

test("a write to the indexes costs only the table for an item outside every index", async () => {
  expect(await metered.wcu(() => metered.put(metered.item(100, { F: { S: "half a key" } })))).toBe(1);
});

test("a write to the indexes costs the index entry when an item enters or leaves an index", async () => {
  expect(await metered.wcu(() => metered.put(metered.item(1500, feedAttributes("f", "1"))))).toBe(2 + 2);
  expect(await metered.wcu(() => metered.put(metered.item(1500)))).toBe(2 + 2);
});

test("a write to the indexes costs one write, sized by the larger entry, when a copied attribute changes", async () => {
  await metered.put(metered.item(3000, feedAttributes("f", "1")));
  expect(await metered.wcu(() => metered.put(metered.item(100, feedAttributes("f", "1"))))).toBe(3 + 3);
});

test("a write to the indexes costs two writes, each of its own size, for a new index key", async () => {
  await metered.put(metered.item(1500, feedAttributes("f", "1")));
  expect(await metered.wcu(() => metered.put(metered.item(100, feedAttributes("f", "2"))))).toBe(2 + 2 + 1);
  expect(await metered.wcu(() => metered.put(metered.item(100, feedAttributes("g", "2"))))).toBe(1 + 1 + 1);
});

test("a write to the indexes costs the small entry of a keys-only index, and nothing while the keys stay", async () => {
  expect(await metered.wcu(() => metered.put(metered.item(5000, idAttributes("m1"))))).toBe(5 + 1);
  expect(await metered.wcu(() => metered.put(metered.item(4000, idAttributes("m1"))))).toBe(5);
  expect(await metered.wcu(() => metered.put(metered.item(4000, idAttributes("m2"))))).toBe(4 + 2);
});

test("a write to the indexes costs no index write for the same item again", async () => {
  const same = {
    ...feedAttributes("f", "1"),
    ...idAttributes("m"),
    s: { SS: ["a", "b"] },
    m: { M: { a: { N: "1" }, b: { N: "2" } } },
  };
  await metered.put(metered.item(300, same));
  expect(await metered.wcu(() => metered.put(metered.item(300, same)))).toBe(1);
});

test("a write to the indexes costs each index that held the item for a delete", async () => {
  await metered.put(metered.item(1500, { ...feedAttributes("f", "1"), ...idAttributes("m") }));
  const remove = () => metered.client.send(new DeleteItemCommand({ TableName: metered.tableName, Key: metered.key() }));
  expect(await metered.wcu(remove)).toBe(2 + 2 + 1);
});

test("batches and transactions bill a batch write by write", async () => {
  await metered.put(metered.item(3000, {}, "old"));
  const requests = [
    { PutRequest: { Item: metered.item(1500, idAttributes("m")) } },
    { PutRequest: { Item: metered.item(10_000, {}, "b") } },
    { DeleteRequest: { Key: metered.key("old") } },
  ];
  const batch = () =>
    metered.client.send(new BatchWriteItemCommand({ RequestItems: { [metered.tableName]: requests } }));
  const cost = await metered.meter.measure("batch", batch);
  expect(cost).toMatchObject({ wcu: 2 + 1 + 10 + 3, requests: 1 });
});

test("batches and transactions do not bill a write that a batch returns as unprocessed", async () => {
  const requests = ["a", "b"].map((sk) => ({ PutRequest: { Item: metered.item(3000, {}, sk) } }));
  metered.client.middlewareStack.add(
    (next) => async (args) => {
      const answer = await next(args);
      Object.assign(answer.output ?? {}, { UnprocessedItems: { [metered.tableName]: requests.slice(1) } });
      return answer;
    },
    { name: "undone", step: "deserialize", priority: "high" },
  );
  const batch = new BatchWriteItemCommand({ RequestItems: { [metered.tableName]: requests } });
  const cost = await metered.wcu(() => metered.client.send(batch));
  metered.client.middlewareStack.remove("undone");
  expect(cost).toBe(3);
});

const transaction = (condition: string, token?: string) =>
  new TransactWriteItemsCommand({
    ...(token ? { ClientRequestToken: token } : {}),
    TransactItems: [
      { Put: { TableName: metered.tableName, Item: metered.item(1500, idAttributes("m"), "put") } },
      {
        Update: {
          TableName: metered.tableName,
          Key: metered.key("update"),
          UpdateExpression: "SET a = :a",
          ExpressionAttributeValues: { ":a": { N: "1" } },
        },
      },
      { Delete: { TableName: metered.tableName, Key: metered.key("delete") } },
      { ConditionCheck: { TableName: metered.tableName, Key: metered.key("check"), ConditionExpression: condition } },
    ],
  });

test("batches and transactions double the table's part of a transaction, checks included, but not the indexes' part", async () => {
  await metered.put(metered.item(5000, {}, "delete"));
  await metered.put(metered.item(2500, {}, "check"));
  expect(await metered.wcu(() => metered.client.send(transaction("attribute_exists(PK)")))).toBe(
    2 * (2 + 1 + 5 + 3) + 1,
  );
});

test("batches and transactions bill a cancelled transaction twice the stored items", async () => {
  await metered.put(metered.item(2500, {}, "delete"));
  const cancelled = () =>
    expect(metered.client.send(transaction("attribute_exists(PK)"))).rejects.toThrow("ConditionalCheckFailed");
  expect(await metered.wcu(cancelled)).toBe(2 * (1 + 1 + 3 + 1));
});

test("batches and transactions bill reads for a transaction sent again with its token", async () => {
  await metered.put(metered.item(5000, {}, "delete"));
  const send = () => metered.client.send(transaction("attribute_not_exists(PK)", `token-${metered.pk}`));
  expect(await metered.meter.measure("first", send)).toMatchObject({ wcu: 2 * (2 + 1 + 5 + 1) + 1, rcu: 0 });
  expect(await metered.meter.measure("again", send)).toMatchObject({ wcu: 0, rcu: 2 * (1 + 1 + 2 + 1) });
});

test("batches and transactions bill the SDK's own retry of a transaction as such a repetition", async () => {
  const stop = injectFaults(metered.client, ({ index }) => (index === 0 ? "lost" : "pass"));
  const cost = await metered.meter.measure("retried", () =>
    metered.client.send(transaction("attribute_not_exists(PK)")),
  );
  stop();
  expect(cost).toMatchObject({ wcu: 2 * (2 + 1 + 1 + 1) + 1, rcu: 2 * 4, requests: 2 });
});
