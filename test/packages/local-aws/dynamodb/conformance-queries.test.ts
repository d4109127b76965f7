import { ScanCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, describe, expect, test } from "vitest";
import { openedOnce } from "../../../support/opened.ts";
import { indexesTo, padIndex, startConformanceTable, validationFailed } from "./conformance-table.ts";

const testTable = openedOnce(startConformanceTable);

describe("queries", () => {
  const partition = { ":p": "feed" };

  beforeAll(async () => {
    for (const i of indexesTo(30)) {
      const inFeed = { F: "F#all", G: padIndex(29 - i) };
      await testTable.put("feed", `M#${padIndex(i)}`, {
        n: i,
        even: i % 2 === 0,
        ...inFeed,
        ...(i % 3 === 0 ? { i: "third" } : {}),
      });
    }
    await testTable.put("feed", "~HEAD");
  });

  test("a descending query starts with the key that sorts last and pages through all items", async () => {
    const all = { KeyConditionExpression: "PK = :p", ExpressionAttributeValues: partition, ScanIndexForward: false };
    const { items, pages } = await testTable.queryAll({ ...all, Limit: 7 });
    expect(items.map(({ SK }) => SK)).toEqual(["~HEAD", ...indexesTo(30).map((i) => `M#${padIndex(29 - i)}`)]);
    expect(pages).toBeGreaterThanOrEqual(5);
  });

  test("a prefix and a range of the sort key select exactly their items, both ends included", async () => {
    const prefix = await testTable.query({
      KeyConditionExpression: "PK = :p AND begins_with(SK, :s)",
      ExpressionAttributeValues: { ...partition, ":s": "M#02" },
    });
    expect(prefix.Items?.map(({ n }) => n)).toEqual(indexesTo(10).map((i) => 20 + i));
    const range = await testTable.query({
      KeyConditionExpression: "PK = :p AND SK BETWEEN :a AND :b",
      ExpressionAttributeValues: { ...partition, ":a": "M#010", ":b": "M#012" },
    });
    expect(range.Items?.map(({ n }) => n)).toEqual([10, 11, 12]);
    const below = await testTable.query({
      KeyConditionExpression: "PK = :p AND SK < :a",
      ExpressionAttributeValues: { ...partition, ":a": "M#002" },
    });
    expect(below.Items?.map(({ n }) => n)).toEqual([0, 1]);
  });

  test("a limit counts the items read, not those that pass the filter", async () => {
    const page = await testTable.query({
      KeyConditionExpression: "PK = :p",
      FilterExpression: "even = :t",
      ExpressionAttributeValues: { ...partition, ":t": true },
      Limit: 6,
    });
    expect(page).toMatchObject({ Count: 3, ScannedCount: 6, LastEvaluatedKey: { PK: "feed", SK: "M#005" } });
  });

  test("the feed index pages in its own order, and its start key has all four keys", async () => {
    const feed = {
      IndexName: "GS1",
      KeyConditionExpression: "F = :f",
      ExpressionAttributeValues: { ":f": "F#all" },
      Limit: 4,
    };
    const { LastEvaluatedKey } = await testTable.query(feed);
    expect(Object.keys(LastEvaluatedKey ?? {}).sort()).toEqual(["F", "G", "PK", "SK"]);
    const { items } = await testTable.queryAll(feed);
    expect(items.map(({ n }) => n)).toEqual(indexesTo(30).reverse());
  });

  test("a constructed start key starts after its position, whether an item has that key or not", async () => {
    const feed = {
      IndexName: "GS1",
      KeyConditionExpression: "F = :f",
      ExpressionAttributeValues: { ":f": "F#all" },
      Limit: 1,
    };
    const startKey = { F: "F#all", G: "004x", PK: "feed", SK: "M#none" };
    const { Items } = await testTable.query({ ...feed, ExclusiveStartKey: startKey });
    expect(Items?.map(({ G }) => G)).toEqual(["005"]);
  });

  test("the id index holds only items that have an id, and only their keys", async () => {
    const { items } = await testTable.queryAll({
      IndexName: "GS2",
      KeyConditionExpression: "i = :i",
      ExpressionAttributeValues: { ":i": "third" },
    });
    expect(items).toHaveLength(10);
    expect(Object.keys(items[0] ?? {}).sort()).toEqual(["PK", "SK", "i"]);
  });

  test("an item without an index key attribute is removed from the index", async () => {
    await testTable.put("leave", "1", { i: "leaving" });
    const queryKeys = () =>
      testTable.query({
        IndexName: "GS2",
        KeyConditionExpression: "i = :i",
        ExpressionAttributeValues: { ":i": "leaving" },
        Select: "COUNT",
      });
    expect((await queryKeys()).Count).toBe(1);
    const Key = { PK: "leave", SK: "1" };
    await testTable.documents.send(
      new UpdateCommand({ TableName: testTable.TableName, Key, UpdateExpression: "REMOVE i" }),
    );
    expect((await queryKeys()).Count).toBe(0);
  });

  test("an index cannot be read consistently", async () => {
    const consistent = testTable.query({
      IndexName: "GS1",
      ConsistentRead: true,
      KeyConditionExpression: "F = :f",
      ExpressionAttributeValues: { ":f": "F#all" },
    });
    await expect(consistent).rejects.toMatchObject(validationFailed);
  });

  test("a start key of another index is rejected", async () => {
    const foreign = testTable.query({
      KeyConditionExpression: "PK = :p",
      ExpressionAttributeValues: partition,
      ExclusiveStartKey: { bogus: "x" },
    });
    await expect(foreign).rejects.toMatchObject(validationFailed);
  });

  test("a page ends at one megabyte and returns the key to continue from", async () => {
    for (const i of indexesTo(6)) await testTable.put("big", String(i), { d: "x".repeat(300_000) });
    const all = { KeyConditionExpression: "PK = :p", ExpressionAttributeValues: { ":p": "big" } };
    expect((await testTable.query(all)).LastEvaluatedKey).toBeDefined();
    expect((await testTable.queryAll(all)).items).toHaveLength(6);
  });

  test("a segmented scan returns every item once", async () => {
    const segments = indexesTo(4).map((Segment) =>
      testTable.documents.send(
        new ScanCommand({
          TableName: testTable.TableName,
          Segment,
          TotalSegments: 4,
          FilterExpression: "F = :f",
          ExpressionAttributeValues: { ":f": "F#all" },
        }),
      ),
    );
    const rows = (await Promise.all(segments)).flatMap(({ Items }) => Items ?? []);
    expect(rows.map(({ n }) => n).sort((a, b) => a - b)).toEqual(indexesTo(30));
  });
});
