import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { describe, expect, test } from "vitest";
import { injectFaults } from "./faults.ts";
import type { Item } from "./item-size.ts";
import { byId, feed, useMeteredTable } from "./metered-table.ts";

const on = useMeteredTable();

describe("writes to the table", () => {
  test("cost one unit a kilobyte, rounded up", async () => {
    expect(await on.wcu(() => on.put(on.item(1024)))).toBe(1);
    expect(await on.wcu(() => on.put(on.item(1025, {}, "b")))).toBe(2);
  });

  test("cost the larger of the old item and the new", async () => {
    await on.put(on.item(3000));
    expect(await on.wcu(() => on.put(on.item(100)))).toBe(3);
    expect(await on.wcu(() => on.put(on.item(2000)))).toBe(2);
  });

  test("an update costs the larger of before and after", async () => {
    await on.put(on.item(2000));
    const update = (d: string) =>
      on.client.send(
        new UpdateItemCommand({
          TableName: on.tableName,
          Key: on.key(),
          UpdateExpression: "SET d = :d",
          ExpressionAttributeValues: { ":d": { S: d } },
        }),
      );
    expect(await on.wcu(() => update("x"))).toBe(2);
    expect(await on.wcu(() => update("x"))).toBe(1);
    expect(await on.wcu(() => update("x".repeat(3000)))).toBe(3);
  });

  test("a delete costs the item that was there, and one unit for nothing", async () => {
    await on.put(on.item(2500));
    const remove = () => on.client.send(new DeleteItemCommand({ TableName: on.tableName, Key: on.key() }));
    expect(await on.wcu(remove)).toBe(3);
    expect(await on.wcu(remove)).toBe(1);
  });

  test("a failed condition costs the item that is there, at least one unit, and no index", async () => {
    const failing = (it: Item, condition: string) => () =>
      expect(on.put(it, condition)).rejects.toThrow(/conditional request failed/i);
    expect(await on.wcu(failing(on.item(3000), "attribute_exists(PK)"))).toBe(1);
    await on.put(on.item(2000, feed("f", "1")));
    expect(await on.wcu(failing(on.item(5000, feed("f", "2")), "attribute_not_exists(PK)"))).toBe(2);
  });

  test("a request that is refused as invalid costs nothing", async () => {
    expect(await on.wcu(() => expect(on.put({ PK: { S: "" }, SK: { S: "a" } })).rejects.toThrow())).toBe(0);
  });
});

describe("writes to the indexes", () => {
  test("an item outside every index costs the table alone", async () => {
    expect(await on.wcu(() => on.put(on.item(100, { F: { S: "half a key" } })))).toBe(1);
  });

  test("entering and leaving an index cost its entry", async () => {
    expect(await on.wcu(() => on.put(on.item(1500, feed("f", "1"))))).toBe(2 + 2);
    expect(await on.wcu(() => on.put(on.item(1500)))).toBe(2 + 2);
  });

  test("a change of a copied attribute costs one write, sized by the larger entry", async () => {
    await on.put(on.item(3000, feed("f", "1")));
    expect(await on.wcu(() => on.put(on.item(100, feed("f", "1"))))).toBe(3 + 3);
  });

  test("a new index key costs two writes, each of its own size", async () => {
    await on.put(on.item(1500, feed("f", "1")));
    expect(await on.wcu(() => on.put(on.item(100, feed("f", "2"))))).toBe(2 + 2 + 1);
    expect(await on.wcu(() => on.put(on.item(100, feed("g", "2"))))).toBe(1 + 1 + 1);
  });

  test("an index of keys costs its small entry, and nothing while the keys stay", async () => {
    expect(await on.wcu(() => on.put(on.item(5000, byId("m1"))))).toBe(5 + 1);
    expect(await on.wcu(() => on.put(on.item(4000, byId("m1"))))).toBe(5);
    expect(await on.wcu(() => on.put(on.item(4000, byId("m2"))))).toBe(4 + 2);
  });

  test("the same item again costs no index", async () => {
    const same = { ...feed("f", "1"), ...byId("m"), s: { SS: ["a", "b"] }, m: { M: { a: { N: "1" }, b: { N: "2" } } } };
    await on.put(on.item(300, same));
    expect(await on.wcu(() => on.put(on.item(300, same)))).toBe(1);
  });

  test("a delete costs each index that held the item", async () => {
    await on.put(on.item(1500, { ...feed("f", "1"), ...byId("m") }));
    const remove = () => on.client.send(new DeleteItemCommand({ TableName: on.tableName, Key: on.key() }));
    expect(await on.wcu(remove)).toBe(2 + 2 + 1);
  });
});

describe("batches and transactions", () => {
  test("a batch costs its writes one by one", async () => {
    await on.put(on.item(3000, {}, "old"));
    const requests = [
      { PutRequest: { Item: on.item(1500, byId("m")) } },
      { PutRequest: { Item: on.item(10_000, {}, "b") } },
      { DeleteRequest: { Key: on.key("old") } },
    ];
    const batch = () => on.client.send(new BatchWriteItemCommand({ RequestItems: { [on.tableName]: requests } }));
    const cost = await on.meter.during("batch", batch);
    expect(cost).toMatchObject({ wcu: 2 + 1 + 10 + 3, requests: 1 });
  });

  test("a write that a batch hands back undone is not billed", async () => {
    const requests = ["a", "b"].map((sk) => ({ PutRequest: { Item: on.item(3000, {}, sk) } }));
    on.client.middlewareStack.add(
      (next) => async (args) => {
        const answer = await next(args);
        Object.assign(answer.output ?? {}, { UnprocessedItems: { [on.tableName]: requests.slice(1) } });
        return answer;
      },
      { name: "undone", step: "deserialize", priority: "high" },
    );
    const batch = new BatchWriteItemCommand({ RequestItems: { [on.tableName]: requests } });
    const cost = await on.wcu(() => on.client.send(batch));
    on.client.middlewareStack.remove("undone");
    expect(cost).toBe(3);
  });

  const transaction = (condition: string, token?: string) =>
    new TransactWriteItemsCommand({
      ...(token ? { ClientRequestToken: token } : {}),
      TransactItems: [
        { Put: { TableName: on.tableName, Item: on.item(1500, byId("m"), "put") } },
        {
          Update: {
            TableName: on.tableName,
            Key: on.key("update"),
            UpdateExpression: "SET a = :a",
            ExpressionAttributeValues: { ":a": { N: "1" } },
          },
        },
        { Delete: { TableName: on.tableName, Key: on.key("delete") } },
        { ConditionCheck: { TableName: on.tableName, Key: on.key("check"), ConditionExpression: condition } },
      ],
    });

  test("a transaction doubles the table's part, checks included, and not the indexes'", async () => {
    await on.put(on.item(5000, {}, "delete"));
    await on.put(on.item(2500, {}, "check"));
    expect(await on.wcu(() => on.client.send(transaction("attribute_exists(PK)")))).toBe(2 * (2 + 1 + 5 + 3) + 1);
  });

  test("a cancelled transaction costs twice what is there", async () => {
    await on.put(on.item(2500, {}, "delete"));
    const cancelled = () => expect(on.client.send(transaction("attribute_exists(PK)"))).rejects.toThrow();
    expect(await on.wcu(cancelled)).toBe(2 * (1 + 1 + 3 + 1));
  });

  test("a transaction sent again with its token costs reads", async () => {
    await on.put(on.item(5000, {}, "delete"));
    const send = () => on.client.send(transaction("attribute_not_exists(PK)", `token-${on.pk}`));
    expect(await on.meter.during("first", send)).toMatchObject({ wcu: 2 * (2 + 1 + 5 + 1) + 1, rcu: 0 });
    expect(await on.meter.during("again", send)).toMatchObject({ wcu: 0, rcu: 2 * (1 + 1 + 2 + 1) });
  });

  test("the SDK's own retry of a transaction is such a repeat", async () => {
    const stop = injectFaults(on.client, ({ index }) => (index === 0 ? "lost" : "pass"));
    const cost = await on.meter.during("retried", () => on.client.send(transaction("attribute_not_exists(PK)")));
    stop();
    expect(cost).toMatchObject({ wcu: 2 * (2 + 1 + 1 + 1) + 1, rcu: 2 * 4, requests: 2 });
  });
});
