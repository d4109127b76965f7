import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  DescribeTableCommand,
  ExecuteStatementCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactGetItemsCommand,
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
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { table } from "../../shared/config/names.ts";
import { startTestTable, type TestTable } from "./dynamo.ts";
import { injectFaults } from "./faults.ts";
import { type Item, itemSize } from "./item-size.ts";
import { type Meter, meterOf } from "./meter.ts";

let on: TestTable;
let meter: Meter;
let pk = 0;

beforeAll(async () => {
  on = await startTestTable();
});
afterAll(() => on.close());
beforeEach(() => {
  pk += 1;
  meter = meterOf(on.client, on.tableName);
});
afterEach(() => meter.close());

/** An item of exactly `bytes`, with the test's own partition. */
function item(bytes: number, more: Item = {}, sk = "a"): Item {
  const base: Item = { ...key(sk), ...more, d: { S: "" } };
  return { ...base, d: { S: "x".repeat(bytes - itemSize(base)) } };
}

function key(sk = "a"): Item {
  return { PK: { S: `p${pk}` }, SK: { S: sk } };
}

function put(it: Item, condition?: string) {
  const input = { TableName: on.tableName, Item: it };
  return on.client.send(new PutItemCommand(condition ? { ...input, ConditionExpression: condition } : input));
}

async function wcu(work: () => Promise<unknown>): Promise<number> {
  return (await meter.during("work", work)).wcu;
}

async function rcu(work: () => Promise<unknown>): Promise<number> {
  return (await meter.during("work", work)).rcu;
}

describe("writes to the table", () => {
  test("cost one unit a kilobyte, rounded up", async () => {
    expect(await wcu(() => put(item(1024)))).toBe(1);
    expect(await wcu(() => put(item(1025, {}, "b")))).toBe(2);
  });

  test("cost the larger of the old item and the new", async () => {
    await put(item(3000));
    expect(await wcu(() => put(item(100)))).toBe(3);
    expect(await wcu(() => put(item(2000)))).toBe(2);
  });

  test("an update costs the larger of before and after", async () => {
    await put(item(2000));
    const update = (d: string) =>
      on.client.send(
        new UpdateItemCommand({
          TableName: on.tableName,
          Key: key(),
          UpdateExpression: "SET d = :d",
          ExpressionAttributeValues: { ":d": { S: d } },
        }),
      );
    expect(await wcu(() => update("x"))).toBe(2);
    expect(await wcu(() => update("x"))).toBe(1);
    expect(await wcu(() => update("x".repeat(3000)))).toBe(3);
  });

  test("a delete costs the item that was there, and one unit for nothing", async () => {
    await put(item(2500));
    const remove = () => on.client.send(new DeleteItemCommand({ TableName: on.tableName, Key: key() }));
    expect(await wcu(remove)).toBe(3);
    expect(await wcu(remove)).toBe(1);
  });

  test("a failed condition costs the item that is there, at least one unit, and no index", async () => {
    const failing = (it: Item, condition: string) => () =>
      expect(put(it, condition)).rejects.toThrow(/conditional request failed/i);
    expect(await wcu(failing(item(3000), "attribute_exists(PK)"))).toBe(1);
    await put(item(2000, feed("f", "1")));
    expect(await wcu(failing(item(5000, feed("f", "2")), "attribute_not_exists(PK)"))).toBe(2);
  });

  test("a request that is refused as invalid costs nothing", async () => {
    expect(await wcu(() => expect(put({ PK: { S: "" }, SK: { S: "a" } })).rejects.toThrow())).toBe(0);
  });
});

function feed(f: string, g: string): Item {
  return { [table.feedIndex.partitionKey]: { S: f }, [table.feedIndex.sortKey]: { S: g } };
}

function byId(i: string): Item {
  return { [table.idIndex.partitionKey]: { S: i } };
}

describe("writes to the indexes", () => {
  test("an item outside every index costs the table alone", async () => {
    expect(await wcu(() => put(item(100, { F: { S: "half a key" } })))).toBe(1);
  });

  test("entering and leaving an index cost its entry", async () => {
    expect(await wcu(() => put(item(1500, feed("f", "1"))))).toBe(2 + 2);
    expect(await wcu(() => put(item(1500)))).toBe(2 + 2);
  });

  test("a change of a copied attribute costs one write, sized by the larger entry", async () => {
    await put(item(3000, feed("f", "1")));
    expect(await wcu(() => put(item(100, feed("f", "1"))))).toBe(3 + 3);
  });

  test("a new index key costs two writes, each of its own size", async () => {
    await put(item(1500, feed("f", "1")));
    expect(await wcu(() => put(item(100, feed("f", "2"))))).toBe(2 + 2 + 1);
    expect(await wcu(() => put(item(100, feed("g", "2"))))).toBe(1 + 1 + 1);
  });

  test("an index of keys costs its small entry, and nothing while the keys stay", async () => {
    expect(await wcu(() => put(item(5000, byId("m1"))))).toBe(5 + 1);
    expect(await wcu(() => put(item(4000, byId("m1"))))).toBe(5);
    expect(await wcu(() => put(item(4000, byId("m2"))))).toBe(4 + 2);
  });

  test("the same item again costs no index", async () => {
    const same = { ...feed("f", "1"), ...byId("m"), s: { SS: ["a", "b"] }, m: { M: { a: { N: "1" }, b: { N: "2" } } } };
    await put(item(300, same));
    expect(await wcu(() => put(item(300, same)))).toBe(1);
  });

  test("a delete costs each index that held the item", async () => {
    await put(item(1500, { ...feed("f", "1"), ...byId("m") }));
    const remove = () => on.client.send(new DeleteItemCommand({ TableName: on.tableName, Key: key() }));
    expect(await wcu(remove)).toBe(2 + 2 + 1);
  });
});

describe("batches and transactions", () => {
  test("a batch costs its writes one by one", async () => {
    await put(item(3000, {}, "old"));
    const requests = [
      { PutRequest: { Item: item(1500, byId("m")) } },
      { PutRequest: { Item: item(10_000, {}, "b") } },
      { DeleteRequest: { Key: key("old") } },
    ];
    const batch = () => on.client.send(new BatchWriteItemCommand({ RequestItems: { [on.tableName]: requests } }));
    const cost = await meter.during("batch", batch);
    expect(cost).toMatchObject({ wcu: 2 + 1 + 10 + 3, requests: 1 });
  });

  test("a write that a batch hands back undone is not billed", async () => {
    const requests = ["a", "b"].map((sk) => ({ PutRequest: { Item: item(3000, {}, sk) } }));
    on.client.middlewareStack.add(
      (next) => async (args) => {
        const answer = await next(args);
        Object.assign(answer.output ?? {}, { UnprocessedItems: { [on.tableName]: requests.slice(1) } });
        return answer;
      },
      { name: "undone", step: "deserialize", priority: "high" },
    );
    const batch = new BatchWriteItemCommand({ RequestItems: { [on.tableName]: requests } });
    const cost = await wcu(() => on.client.send(batch));
    on.client.middlewareStack.remove("undone");
    expect(cost).toBe(3);
  });

  const transaction = (condition: string, token?: string) =>
    new TransactWriteItemsCommand({
      ...(token ? { ClientRequestToken: token } : {}),
      TransactItems: [
        { Put: { TableName: on.tableName, Item: item(1500, byId("m"), "put") } },
        {
          Update: {
            TableName: on.tableName,
            Key: key("update"),
            UpdateExpression: "SET a = :a",
            ExpressionAttributeValues: { ":a": { N: "1" } },
          },
        },
        { Delete: { TableName: on.tableName, Key: key("delete") } },
        { ConditionCheck: { TableName: on.tableName, Key: key("check"), ConditionExpression: condition } },
      ],
    });

  test("a transaction doubles the table's part, checks included, and not the indexes'", async () => {
    await put(item(5000, {}, "delete"));
    await put(item(2500, {}, "check"));
    expect(await wcu(() => on.client.send(transaction("attribute_exists(PK)")))).toBe(2 * (2 + 1 + 5 + 3) + 1);
  });

  test("a cancelled transaction costs twice what is there", async () => {
    await put(item(2500, {}, "delete"));
    const cancelled = () => expect(on.client.send(transaction("attribute_exists(PK)"))).rejects.toThrow();
    expect(await wcu(cancelled)).toBe(2 * (1 + 1 + 3 + 1));
  });

  test("a transaction sent again with its token costs reads", async () => {
    await put(item(5000, {}, "delete"));
    const send = () => on.client.send(transaction("attribute_not_exists(PK)", `token-${pk}`));
    expect(await meter.during("first", send)).toMatchObject({ wcu: 2 * (2 + 1 + 5 + 1) + 1, rcu: 0 });
    expect(await meter.during("again", send)).toMatchObject({ wcu: 0, rcu: 2 * (1 + 1 + 2 + 1) });
  });

  test("the SDK's own retry of a transaction is such a repeat", async () => {
    const stop = injectFaults(on.client, ({ index }) => (index === 0 ? "lost" : "pass"));
    const cost = await meter.during("retried", () => on.client.send(transaction("attribute_not_exists(PK)")));
    stop();
    expect(cost).toMatchObject({ wcu: 2 * (2 + 1 + 1 + 1) + 1, rcu: 2 * 4, requests: 2 });
  });
});

describe("reads", () => {
  const get = (sk: string, consistent: boolean) => () =>
    on.client.send(new GetItemCommand({ TableName: on.tableName, Key: key(sk), ConsistentRead: consistent }));

  test("cost one unit for four kilobytes, half of it when eventually consistent, and the least for nothing", async () => {
    await put(item(4096));
    await put(item(4097, {}, "b"));
    expect(await rcu(get("a", true))).toBe(1);
    expect(await rcu(get("b", true))).toBe(2);
    expect(await rcu(get("b", false))).toBe(1);
    expect(await rcu(get("none", true))).toBe(1);
    expect(await rcu(get("none", false))).toBe(0.5);
  });

  test("a projection makes a read no cheaper", async () => {
    await put(item(9000));
    const input = { TableName: on.tableName, Key: key(), ProjectionExpression: "SK" };
    expect(await rcu(() => on.client.send(new GetItemCommand(input)))).toBe(1.5);
  });

  test("a batch rounds every item by itself", async () => {
    await put(item(100));
    await put(item(5000, {}, "b"));
    const Keys = [key("a"), key("b"), key("none")];
    const batch = (ConsistentRead: boolean) => () =>
      on.client.send(new BatchGetItemCommand({ RequestItems: { [on.tableName]: { Keys, ConsistentRead } } }));
    expect(await rcu(batch(true))).toBe(1 + 2 + 1);
    expect(await rcu(batch(false))).toBe(2);
  });

  test("a batch that stops at 16 MB costs what it read", async () => {
    const sks = Array.from({ length: 45 }, (_, i) => `s${i}`);
    for (const sk of sks) await put(item(400_000, {}, sk));
    const input = { RequestItems: { [on.tableName]: { Keys: sks.map(key) } } };
    let read = 0;
    const cost = await rcu(async () => {
      read = (await on.client.send(new BatchGetItemCommand(input))).Responses?.[on.tableName]?.length ?? 0;
    });
    expect(read).toBeGreaterThan(30);
    expect(cost).toBe((read * Math.ceil(400_000 / 4096)) / 2);
  });

  test("a transaction doubles, for missing items too", async () => {
    await put(item(5000));
    const TransactItems = ["a", "none"].map((sk) => ({ Get: { TableName: on.tableName, Key: key(sk) } }));
    expect(await rcu(() => on.client.send(new TransactGetItemsCommand({ TransactItems })))).toBe(4 + 2);
  });
});

describe("queries and scans", () => {
  const query = (more: object = {}) => ({
    TableName: on.tableName,
    KeyConditionExpression: "PK = :p",
    ExpressionAttributeValues: { ":p": { S: `p${pk}` } },
    ...more,
  });
  const send = (more?: object) => () => on.client.send(new QueryCommand(query(more)));

  test("cost the sum of the rows, rounded once", async () => {
    for (const sk of ["a", "b", "c"]) await put(item(1500, {}, sk));
    expect(await rcu(send({ ConsistentRead: true }))).toBe(2);
    expect(await rcu(send())).toBe(1);
    expect(await rcu(send({ Limit: 2 }))).toBe(0.5);
    expect(await rcu(send({ Select: "COUNT" }))).toBe(1);
  });

  test("nothing found costs the least", async () => {
    expect(await rcu(send())).toBe(0.5);
  });

  test("rows that the filter drops are paid for, and a projection saves nothing", async () => {
    for (const sk of ["a", "b", "c"]) await put(item(4096, {}, sk));
    const filtered = send({
      FilterExpression: "#d = :none",
      ProjectionExpression: "#s",
      ExpressionAttributeNames: { "#d": "d", "#s": "SK" },
      ExpressionAttributeValues: { ":p": { S: `p${pk}` }, ":none": { S: "none" } },
    });
    expect(await rcu(filtered)).toBe(1.5);
  });

  test("a page starts after its start key, in the direction asked for", async () => {
    await put(item(100, {}, "a"));
    await put(item(9000, {}, "b"));
    await put(item(100, {}, "c"));
    expect(await rcu(send({ ExclusiveStartKey: key("b"), ScanIndexForward: true }))).toBe(0.5);
    expect(await rcu(send({ ExclusiveStartKey: key("c"), ScanIndexForward: false, Limit: 1 }))).toBe(1.5);
  });

  test("a page that stops at one megabyte costs one megabyte", async () => {
    for (const sk of ["a", "b", "c", "d"]) await put(item(400_000, {}, sk));
    let rows = 0;
    const cost = await rcu(async () => {
      rows = (await on.client.send(new QueryCommand(query()))).Count ?? 0;
    });
    expect(rows).toBeLessThan(4);
    expect(cost).toBe(Math.ceil((rows * 400_000) / 4096) / 2);
  });

  test("an index is billed by what it copies", async () => {
    for (const sk of ["a", "b"]) await put(item(6000, { ...feed(`f${pk}`, sk), ...byId(`i${pk}`) }, sk));
    const through = (IndexName: string, name: string, value: string) =>
      send({
        IndexName,
        KeyConditionExpression: `${name} = :v`,
        ExpressionAttributeValues: { ":v": { S: value } },
      });
    expect(await rcu(through(table.feedIndex.name, table.feedIndex.partitionKey, `f${pk}`))).toBe(1.5);
    expect(await rcu(through(table.idIndex.name, table.idIndex.partitionKey, `i${pk}`))).toBe(0.5);
  });

  test("a scan costs every row it passes", async () => {
    const fresh = await startTestTable();
    const scanned = meterOf(fresh.client, fresh.tableName);
    for (const sk of ["a", "b", "c"]) {
      await fresh.client.send(new PutItemCommand({ TableName: fresh.tableName, Item: item(5000, {}, sk) }));
    }
    const scan = (more: object = {}) => fresh.client.send(new ScanCommand({ TableName: fresh.tableName, ...more }));
    expect((await scanned.during("all", () => scan())).rcu).toBe(2);
    expect((await scanned.during("two", () => scan({ Limit: 2, ConsistentRead: true }))).rcu).toBe(3);
    scanned.close();
    await fresh.close();
  });
});

describe("the meter", () => {
  test("counts a document client made of the client", async () => {
    const documents = DynamoDBDocumentClient.from(on.client);
    const { PK, SK } = { PK: `p${pk}`, SK: "a" };
    const cost = await meter.during("documents", async () => {
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
    meter.close();
    const documents = DynamoDBDocumentClient.from(on.client);
    meter = meterOf(documents, on.tableName);
    const write = () => documents.send(new PutCommand({ TableName: on.tableName, Item: { PK: `p${pk}`, SK: "a" } }));
    expect(await wcu(write)).toBe(1);
  });

  test("gives a document client's batch its leftovers unharmed and does not bill them", async () => {
    const sks = Array.from({ length: 45 }, (_, i) => `s${i}`);
    for (const sk of sks) await put(item(400_000, {}, sk));
    const Keys = sks.map((SK) => ({ PK: `p${pk}`, SK }));
    const documents = DynamoDBDocumentClient.from(on.client);
    let read = 0;
    const cost = await rcu(async () => {
      const answer = await documents.send(new BatchGetCommand({ RequestItems: { [on.tableName]: { Keys } } }));
      read = answer.Responses?.[on.tableName]?.length ?? 0;
      expect(answer.UnprocessedKeys?.[on.tableName]?.Keys?.[0]?.PK).toBe(`p${pk}`);
    });
    expect(cost).toBe((read * Math.ceil(400_000 / 4096)) / 2);
  });

  test("bills every write of many at once exactly", async () => {
    const add = () =>
      on.client.send(
        new UpdateItemCommand({
          TableName: on.tableName,
          Key: key(),
          UpdateExpression: "SET F = :f, G = :g ADD n :one",
          ExpressionAttributeValues: { ":f": { S: "f" }, ":g": { S: "g" }, ":one": { N: "1" } },
        }),
      );
    expect(await wcu(() => Promise.all(Array.from({ length: 40 }, add)))).toBe(80);
  });

  test("lets transactions that share items in any order through", async () => {
    const touch = (sks: string[]) =>
      on.client.send(
        new TransactWriteItemsCommand({
          TransactItems: sks.map((sk) => ({ Put: { TableName: on.tableName, Item: item(100, {}, sk) } })),
        }),
      );
    const orders = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? ["a", "b"] : ["b", "a"]));
    expect(await wcu(() => Promise.all(orders.map(touch)))).toBe(20 * 4);
  });

  test("bills a request that was delivered twice twice", async () => {
    const stop = injectFaults(on.client, () => "twice");
    const cost = await meter.during("twice", () => put(item(100)));
    stop();
    expect(cost).toMatchObject({ wcu: 2, requests: 2 });
  });

  test("ignores other tables and calls that cost nothing", async () => {
    const other = await startTestTable();
    const Item = item(100);
    const cost = await meter.during("others", async () => {
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
    await meter.during("a", () => put(item(100)));
    await meter.during("a", () => put(item(2000)));
    await meter.during("b", () => put(item(100)));
    expect(meter.named()).toMatchObject({ a: { wcu: 3, requests: 2 }, b: { wcu: 2, requests: 1 } });
    expect(meter.total()).toMatchObject({ wcu: 5, rcu: 0, requests: 3 });
  });

  test("passes on the failure of what it measures", async () => {
    await expect(meter.during("bad", () => Promise.reject(new Error("mine")))).rejects.toThrow("mine");
  });

  test("is one per client and table, and stops when closed", async () => {
    expect(() => meterOf(on.client, on.tableName)).toThrow(/meter/);
    meter.close();
    await put(item(100));
    expect(meter.total().requests).toBe(0);
  });
});

function queryOf(TableName: string) {
  return { TableName, KeyConditionExpression: "PK = :p", ExpressionAttributeValues: { ":p": { S: "p" } } };
}
