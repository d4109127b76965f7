import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { table } from "../../../shared/config/names.ts";
import { startTestTable, type TestTable } from "../../support/dynamo.ts";

// What Parley rests on must hold on the engine that stands in for DynamoDB, or the other tests prove nothing.

let on: TestTable;
let documents: DynamoDBDocumentClient;
let TableName: string;

beforeAll(async () => {
  on = await startTestTable();
  TableName = on.tableName;
  documents = DynamoDBDocumentClient.from(on.client);
});
afterAll(() => on.close());

type Attributes = Record<string, unknown>;

function put(PK: string, SK: string, more: Attributes = {}) {
  return documents.send(new PutCommand({ TableName, Item: { PK, SK, ...more } }));
}

async function get(PK: string, SK: string): Promise<Attributes | undefined> {
  return (await documents.send(new GetCommand({ TableName, Key: { PK, SK }, ConsistentRead: true }))).Item;
}

function query(more: Omit<QueryCommandInput, "TableName">) {
  return documents.send(new QueryCommand({ TableName, ...more }));
}

async function queryAll(more: Omit<QueryCommandInput, "TableName">): Promise<{ items: Attributes[]; pages: number }> {
  const items: Attributes[] = [];
  let start: Attributes | undefined;
  let pages = 0;
  do {
    const page = await query(start === undefined ? more : { ...more, ExclusiveStartKey: start });
    items.push(...(page.Items ?? []));
    start = page.LastEvaluatedKey;
    pages += 1;
  } while (start !== undefined);
  return { items, pages };
}

const numbered = (count: number) => Array.from({ length: count }, (_, i) => i);
const padded = (i: number) => String(i).padStart(3, "0");
const refused = { name: "ConditionalCheckFailedException" };
const invalid = { name: "ValidationException" };

describe("conditional writes", () => {
  test("a put onto an existing item is refused and shows what is there", async () => {
    const input = { TableName, ConditionExpression: "attribute_not_exists(PK)" };
    await documents.send(new PutCommand({ ...input, Item: { PK: "put", SK: "1", v: 1 } }));
    const again = documents.send(
      new PutCommand({
        ...input,
        Item: { PK: "put", SK: "1", v: 2 },
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      }),
    );
    await expect(again).rejects.toMatchObject({ ...refused, Item: { v: { N: "1" } } });
    expect(await get("put", "1")).toMatchObject({ v: 1 });
  });

  test("a refused update and a refused delete show what is there", async () => {
    await put("cond", "1", { v: 1 });
    const input = {
      TableName,
      Key: { PK: "cond", SK: "1" },
      ConditionExpression: "v > :x",
      ExpressionAttributeValues: { ":x": 9 },
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    } as const;
    const update = documents.send(new UpdateCommand({ ...input, UpdateExpression: "SET v = :x" }));
    await expect(update).rejects.toMatchObject({ ...refused, Item: { v: { N: "1" } } });
    await expect(documents.send(new DeleteCommand(input))).rejects.toMatchObject({
      ...refused,
      Item: { v: { N: "1" } },
    });
  });

  test("a delete whose condition holds returns what was there", async () => {
    await put("delete", "1", { v: 5 });
    const { Attributes } = await documents.send(
      new DeleteCommand({
        TableName,
        Key: { PK: "delete", SK: "1" },
        ConditionExpression: "v = :v",
        ExpressionAttributeValues: { ":v": 5 },
        ReturnValues: "ALL_OLD",
      }),
    );
    expect(Attributes).toMatchObject({ v: 5 });
    expect(await get("delete", "1")).toBeUndefined();
  });

  test("an update of a missing item is refused by attribute_exists and makes nothing", async () => {
    const update = new UpdateCommand({
      TableName,
      Key: { PK: "missing", SK: "1" },
      UpdateExpression: "SET v = :v",
      ConditionExpression: "attribute_exists(PK)",
      ExpressionAttributeValues: { ":v": 1 },
    });
    await expect(documents.send(update)).rejects.toMatchObject(refused);
    expect(await get("missing", "1")).toBeUndefined();
  });

  test("an update sets, defaults, counts, appends and removes at once", async () => {
    await put("update", "1", { n: 1, list: ["x"], gone: 1, map: { inner: 1 }, tags: new Set(["p"]) });
    const { Attributes } = await documents.send(
      new UpdateCommand({
        TableName,
        Key: { PK: "update", SK: "1" },
        UpdateExpression:
          "SET c = if_not_exists(c, :ten) + :one, #list = list_append(#list, :more), #map.#inner = :ten REMOVE gone ADD n :one, tags :tag",
        ExpressionAttributeNames: { "#list": "list", "#map": "map", "#inner": "inner" },
        ExpressionAttributeValues: { ":ten": 10, ":one": 1, ":more": ["y"], ":tag": new Set(["q"]) },
        ReturnValues: "ALL_NEW",
      }),
    );
    expect(Attributes).toEqual({
      PK: "update",
      SK: "1",
      n: 2,
      c: 11,
      list: ["x", "y"],
      map: { inner: 10 },
      tags: new Set(["p", "q"]),
    });
  });

  test("one of many puts of the same new item wins", async () => {
    const race = numbered(40).map((i) =>
      documents.send(
        new PutCommand({
          TableName,
          Item: { PK: "race", SK: "1", n: i },
          ConditionExpression: "attribute_not_exists(PK)",
        }),
      ),
    );
    const results = await Promise.allSettled(race);
    const lost = results.flatMap((result) => (result.status === "rejected" ? [result.reason.name] : []));
    expect(lost).toEqual(Array(39).fill(refused.name));
  });

  test("no count is lost among many", async () => {
    const add = new UpdateCommand({
      TableName,
      Key: { PK: "count", SK: "1" },
      UpdateExpression: "ADD n :one",
      ExpressionAttributeValues: { ":one": 1 },
    });
    await Promise.all(numbered(40).map(() => documents.send(add)));
    expect(await get("count", "1")).toMatchObject({ n: 40 });
  });
});

describe("queries", () => {
  const partition = { ":p": "feed" };

  beforeAll(async () => {
    for (const i of numbered(30)) {
      const inFeed = { F: "F#all", G: padded(29 - i) };
      await put("feed", `M#${padded(i)}`, {
        n: i,
        even: i % 2 === 0,
        ...inFeed,
        ...(i % 3 === 0 ? { i: "third" } : {}),
      });
    }
    await put("feed", "~HEAD");
  });

  test("a descending query begins with the key that sorts last and pages through all", async () => {
    const all = { KeyConditionExpression: "PK = :p", ExpressionAttributeValues: partition, ScanIndexForward: false };
    const { items, pages } = await queryAll({ ...all, Limit: 7 });
    expect(items.map(({ SK }) => SK)).toEqual(["~HEAD", ...numbered(30).map((i) => `M#${padded(29 - i)}`)]);
    expect(pages).toBeGreaterThanOrEqual(5);
  });

  test("a prefix and a range of the sort key take exactly their rows, both ends included", async () => {
    const prefix = await query({
      KeyConditionExpression: "PK = :p AND begins_with(SK, :s)",
      ExpressionAttributeValues: { ...partition, ":s": "M#02" },
    });
    expect(prefix.Items?.map(({ n }) => n)).toEqual(numbered(10).map((i) => 20 + i));
    const range = await query({
      KeyConditionExpression: "PK = :p AND SK BETWEEN :a AND :b",
      ExpressionAttributeValues: { ...partition, ":a": "M#010", ":b": "M#012" },
    });
    expect(range.Items?.map(({ n }) => n)).toEqual([10, 11, 12]);
    const below = await query({
      KeyConditionExpression: "PK = :p AND SK < :a",
      ExpressionAttributeValues: { ...partition, ":a": "M#002" },
    });
    expect(below.Items?.map(({ n }) => n)).toEqual([0, 1]);
  });

  test("a limit counts the rows examined, not those that pass the filter", async () => {
    const page = await query({
      KeyConditionExpression: "PK = :p",
      FilterExpression: "even = :t",
      ExpressionAttributeValues: { ...partition, ":t": true },
      Limit: 6,
    });
    expect(page).toMatchObject({ Count: 3, ScannedCount: 6, LastEvaluatedKey: { PK: "feed", SK: "M#005" } });
  });

  test("the feed index pages in its own order, and its start key holds all four keys", async () => {
    const feed = {
      IndexName: table.feedIndex.name,
      KeyConditionExpression: "F = :f",
      ExpressionAttributeValues: { ":f": "F#all" },
      Limit: 4,
    };
    const { LastEvaluatedKey } = await query(feed);
    expect(Object.keys(LastEvaluatedKey ?? {}).sort()).toEqual(["F", "G", "PK", "SK"]);
    const { items } = await queryAll(feed);
    expect(items.map(({ n }) => n)).toEqual(numbered(30).reverse());
  });

  test("a start key made by hand begins after its position, whether a row has it or not", async () => {
    const feed = {
      IndexName: table.feedIndex.name,
      KeyConditionExpression: "F = :f",
      ExpressionAttributeValues: { ":f": "F#all" },
      Limit: 1,
    };
    const made = { F: "F#all", G: "004x", PK: "feed", SK: "M#none" };
    const { Items } = await query({ ...feed, ExclusiveStartKey: made });
    expect(Items?.map(({ G }) => G)).toEqual(["005"]);
  });

  test("the id index holds only items that have an id, and only their keys", async () => {
    const { items } = await queryAll({
      IndexName: table.idIndex.name,
      KeyConditionExpression: "i = :i",
      ExpressionAttributeValues: { ":i": "third" },
    });
    expect(items).toHaveLength(10);
    expect(Object.keys(items[0] ?? {}).sort()).toEqual(["PK", "SK", "i"]);
  });

  test("an item leaves an index with the attribute that is its key", async () => {
    await put("leave", "1", { i: "leaving" });
    const found = () =>
      query({
        IndexName: table.idIndex.name,
        KeyConditionExpression: "i = :i",
        ExpressionAttributeValues: { ":i": "leaving" },
        Select: "COUNT",
      });
    expect((await found()).Count).toBe(1);
    const Key = { PK: "leave", SK: "1" };
    await documents.send(new UpdateCommand({ TableName, Key, UpdateExpression: "REMOVE i" }));
    expect((await found()).Count).toBe(0);
  });

  test("an index cannot be read consistently", async () => {
    const consistent = query({
      IndexName: table.feedIndex.name,
      ConsistentRead: true,
      KeyConditionExpression: "F = :f",
      ExpressionAttributeValues: { ":f": "F#all" },
    });
    await expect(consistent).rejects.toMatchObject(invalid);
  });

  test("a start key of a foreign shape is refused", async () => {
    const foreign = query({
      KeyConditionExpression: "PK = :p",
      ExpressionAttributeValues: partition,
      ExclusiveStartKey: { bogus: "x" },
    });
    await expect(foreign).rejects.toMatchObject(invalid);
  });

  test("a page ends at one megabyte and says where to go on", async () => {
    for (const i of numbered(6)) await put("big", String(i), { d: "x".repeat(300_000) });
    const all = { KeyConditionExpression: "PK = :p", ExpressionAttributeValues: { ":p": "big" } };
    expect((await query(all)).LastEvaluatedKey).toBeDefined();
    expect((await queryAll(all)).items).toHaveLength(6);
  });

  test("a scan in segments passes every row once", async () => {
    const segments = numbered(4).map((Segment) =>
      documents.send(
        new ScanCommand({
          TableName,
          Segment,
          TotalSegments: 4,
          FilterExpression: "F = :f",
          ExpressionAttributeValues: { ":f": "F#all" },
        }),
      ),
    );
    const rows = (await Promise.all(segments)).flatMap(({ Items }) => Items ?? []);
    expect(rows.map(({ n }) => n).sort((a, b) => a - b)).toEqual(numbered(30));
  });
});

describe("batches", () => {
  const writes = (count: number) =>
    documents.send(
      new BatchWriteCommand({
        RequestItems: {
          [TableName]: numbered(count).map((i) => ({ PutRequest: { Item: { PK: "batch", SK: padded(i) } } })),
        },
      }),
    );

  test("25 writes pass and can be read in one batch", async () => {
    await writes(25);
    const Keys = numbered(25).map((i) => ({ PK: "batch", SK: padded(i) }));
    const { Responses } = await documents.send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys } } }));
    expect(Responses?.[TableName]).toHaveLength(25);
  });

  test("26 writes are refused", async () => {
    await expect(writes(26)).rejects.toMatchObject(invalid);
  });
});

describe("transactions", () => {
  test("put, update, check and delete happen together", async () => {
    await put("tx", "update", { n: 1 });
    await put("tx", "check", { open: true });
    await put("tx", "delete");
    await documents.send(
      new TransactWriteCommand({
        TransactItems: [
          {
            Put: {
              TableName,
              Item: { PK: "tx", SK: "put" },
              ConditionExpression: "attribute_not_exists(PK)",
            },
          },
          {
            Update: {
              TableName,
              Key: { PK: "tx", SK: "update" },
              UpdateExpression: "SET n = n + :one",
              ExpressionAttributeValues: { ":one": 1 },
            },
          },
          {
            ConditionCheck: {
              TableName,
              Key: { PK: "tx", SK: "check" },
              ConditionExpression: "#open = :true",
              ExpressionAttributeNames: { "#open": "open" },
              ExpressionAttributeValues: { ":true": true },
            },
          },
          { Delete: { TableName, Key: { PK: "tx", SK: "delete" } } },
        ],
      }),
    );
    const { items } = await queryAll({
      KeyConditionExpression: "PK = :p",
      ExpressionAttributeValues: { ":p": "tx" },
    });
    expect(items).toEqual([
      { PK: "tx", SK: "check", open: true },
      { PK: "tx", SK: "put" },
      { PK: "tx", SK: "update", n: 2 },
    ]);
  });

  test("a failed condition undoes all and names its item among the reasons", async () => {
    await put("cancel", "there", { n: 1 });
    const cancelled = documents.send(
      new TransactWriteCommand({
        TransactItems: [
          { Put: { TableName, Item: { PK: "cancel", SK: "never" } } },
          {
            Update: {
              TableName,
              Key: { PK: "cancel", SK: "there" },
              UpdateExpression: "SET n = :zero",
              ConditionExpression: "n = :nine",
              ExpressionAttributeValues: { ":zero": 0, ":nine": 9 },
              ReturnValuesOnConditionCheckFailure: "ALL_OLD",
            },
          },
        ],
      }),
    );
    await expect(cancelled).rejects.toMatchObject({
      name: "TransactionCanceledException",
      CancellationReasons: [{ Code: "None" }, { Code: "ConditionalCheckFailed", Item: { n: { N: "1" } } }],
    });
    expect(await get("cancel", "never")).toBeUndefined();
    expect(await get("cancel", "there")).toMatchObject({ n: 1 });
  });

  test("the same token does its work once, and refuses other work", async () => {
    const add = (by: number) =>
      documents.send(
        new TransactWriteCommand({
          ClientRequestToken: "one-token",
          TransactItems: [
            {
              Update: {
                TableName,
                Key: { PK: "token", SK: "1" },
                UpdateExpression: "ADD n :by",
                ExpressionAttributeValues: { ":by": by },
              },
            },
          ],
        }),
      );
    await add(1);
    await add(1);
    expect(await get("token", "1")).toMatchObject({ n: 1 });
    await expect(add(2)).rejects.toMatchObject({ name: "IdempotentParameterMismatchException" });
  });

  const puts = (sks: readonly string[]) =>
    documents.send(
      new TransactWriteCommand({
        TransactItems: sks.map((SK) => ({ Put: { TableName, Item: { PK: "tx-many", SK } } })),
      }),
    );

  test("an item may be in it once", async () => {
    await expect(puts(["same", "same"])).rejects.toMatchObject(invalid);
  });

  test("100 items pass, 101 are refused", async () => {
    await puts(numbered(100).map(String));
    await expect(puts(numbered(101).map(String))).rejects.toMatchObject(invalid);
  });

  test("a budget is never overspent by many at once, and every row has its unit", async () => {
    await put("budget", "left", { n: 0 });
    const spend = (i: number) =>
      documents.send(
        new TransactWriteCommand({
          TransactItems: [
            {
              Update: {
                TableName,
                Key: { PK: "budget", SK: "left" },
                UpdateExpression: "SET n = n + :one",
                ConditionExpression: "n < :max",
                ExpressionAttributeValues: { ":one": 1, ":max": 10 },
              },
            },
            { Put: { TableName, Item: { PK: "spent", SK: String(i) } } },
          ],
        }),
      );
    const results = await Promise.allSettled(numbered(40).map(spend));
    const won = results.filter(({ status }) => status === "fulfilled").length;
    const spent = await query({ KeyConditionExpression: "PK = :p", ExpressionAttributeValues: { ":p": "spent" } });
    expect(won).toBeGreaterThan(0);
    expect(won).toBeLessThanOrEqual(10);
    expect(spent.Count).toBe(won);
    expect(await get("budget", "left")).toMatchObject({ n: won });
  });

  test("a read of several has a place for what is missing", async () => {
    await put("tx-get", "1", { n: 1 });
    const TransactItems = ["1", "none"].map((SK) => ({ Get: { TableName, Key: { PK: "tx-get", SK } } }));
    const { Responses } = await documents.send(new TransactGetCommand({ TransactItems }));
    expect(Responses?.map(({ Item }) => Item?.n)).toEqual([1, undefined]);
  });
});

describe("items", () => {
  test("numbers of 38 digits, binary, null, booleans and sets come back as they were", async () => {
    const item = {
      PK: "types",
      SK: "1",
      binary: new Uint8Array([0, 255]),
      nothing: null,
      no: false,
      set: new Set(["a", "b"]),
      empty: "",
      deep: { list: [1, { a: "b" }] },
    };
    await documents.send(new PutCommand({ TableName, Item: item }));
    expect(await get("types", "1")).toEqual(item);
    const n = 12345678901234567890123456789012345678n;
    await put("types", "big", { n });
    expect(await get("types", "big")).toMatchObject({ n });
  });

  test("more than 400 KB is refused", async () => {
    await expect(put("large", "1", { d: "x".repeat(410 * 1024) })).rejects.toMatchObject(invalid);
  });

  test("an empty key, a key of the wrong type and half a key are refused", async () => {
    await expect(put("", "1")).rejects.toMatchObject(invalid);
    const read = (Key: Attributes) => documents.send(new GetCommand({ TableName, Key }));
    await expect(read({ PK: 1, SK: "1" })).rejects.toMatchObject(invalid);
    await expect(read({ PK: "a" })).rejects.toMatchObject(invalid);
  });

  test("a reserved word and an unused value are refused", async () => {
    const update = (UpdateExpression: string, values: Attributes) =>
      documents.send(
        new UpdateCommand({
          TableName,
          Key: { PK: "words", SK: "1" },
          UpdateExpression,
          ExpressionAttributeValues: values,
        }),
      );
    await expect(update("SET status = :s", { ":s": 1 })).rejects.toMatchObject(invalid);
    await expect(update("SET v = :s", { ":s": 1, ":unused": 1 })).rejects.toMatchObject(invalid);
  });

  test("a missing table has its own error", async () => {
    const read = new GetCommand({ TableName: "no-such-table", Key: { PK: "a", SK: "b" } });
    await expect(documents.send(read)).rejects.toMatchObject({ name: "ResourceNotFoundException" });
  });
});
