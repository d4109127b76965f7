import { BatchGetCommand, BatchWriteCommand, DeleteCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, test } from "vitest";
import { openedOnce } from "../../../support/opened.ts";
import { conditionFailed, indexesTo, padIndex, startConformanceTable, validationFailed } from "./conformance-table.ts";

const testTable = openedOnce(startConformanceTable);

describe("conditional writes", () => {
  test("a conditional put onto an existing item fails and returns that item", async () => {
    const input = { TableName: testTable.TableName, ConditionExpression: "attribute_not_exists(PK)" };
    await testTable.documents.send(new PutCommand({ ...input, Item: { PK: "put", SK: "1", v: 1 } }));
    const again = testTable.documents.send(
      new PutCommand({
        ...input,
        Item: { PK: "put", SK: "1", v: 2 },
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      }),
    );
    await expect(again).rejects.toMatchObject({ ...conditionFailed, Item: { v: { N: "1" } } });
    expect(await testTable.get("put", "1")).toMatchObject({ v: 1 });
  });

  test("a failed conditional update or delete returns the existing item", async () => {
    await testTable.put("cond", "1", { v: 1 });
    const input = {
      TableName: testTable.TableName,
      Key: { PK: "cond", SK: "1" },
      ConditionExpression: "v > :x",
      ExpressionAttributeValues: { ":x": 9 },
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    } as const;
    const update = testTable.documents.send(new UpdateCommand({ ...input, UpdateExpression: "SET v = :x" }));
    await expect(update).rejects.toMatchObject({ ...conditionFailed, Item: { v: { N: "1" } } });
    await expect(testTable.documents.send(new DeleteCommand(input))).rejects.toMatchObject({
      ...conditionFailed,
      Item: { v: { N: "1" } },
    });
  });

  test("a delete whose condition holds returns the deleted item", async () => {
    await testTable.put("delete", "1", { v: 5 });
    const { Attributes } = await testTable.documents.send(
      new DeleteCommand({
        TableName: testTable.TableName,
        Key: { PK: "delete", SK: "1" },
        ConditionExpression: "v = :v",
        ExpressionAttributeValues: { ":v": 5 },
        ReturnValues: "ALL_OLD",
      }),
    );
    expect(Attributes).toMatchObject({ v: 5 });
    expect(await testTable.get("delete", "1")).toBeUndefined();
  });

  test("an update of a missing item fails on attribute_exists and creates nothing", async () => {
    const update = new UpdateCommand({
      TableName: testTable.TableName,
      Key: { PK: "missing", SK: "1" },
      UpdateExpression: "SET v = :v",
      ConditionExpression: "attribute_exists(PK)",
      ExpressionAttributeValues: { ":v": 1 },
    });
    await expect(testTable.documents.send(update)).rejects.toMatchObject(conditionFailed);
    expect(await testTable.get("missing", "1")).toBeUndefined();
  });

  test("an update sets, defaults, counts, appends and removes at once", async () => {
    await testTable.put("update", "1", { n: 1, list: ["x"], gone: 1, map: { inner: 1 }, tags: new Set(["p"]) });
    const { Attributes } = await testTable.documents.send(
      new UpdateCommand({
        TableName: testTable.TableName,
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

  test("exactly one of many concurrent puts of a new item succeeds", async () => {
    const race = indexesTo(40).map((i) =>
      testTable.documents.send(
        new PutCommand({
          TableName: testTable.TableName,
          Item: { PK: "race", SK: "1", n: i },
          ConditionExpression: "attribute_not_exists(PK)",
        }),
      ),
    );
    const results = await Promise.allSettled(race);
    const lost = results.flatMap((result) => (result.status === "rejected" ? [result.reason.name] : []));
    expect(lost).toEqual(Array(39).fill(conditionFailed.name));
  });

  test("concurrent increments are all counted", async () => {
    const add = new UpdateCommand({
      TableName: testTable.TableName,
      Key: { PK: "count", SK: "1" },
      UpdateExpression: "ADD n :one",
      ExpressionAttributeValues: { ":one": 1 },
    });
    await Promise.all(indexesTo(40).map(() => testTable.documents.send(add)));
    expect(await testTable.get("count", "1")).toMatchObject({ n: 40 });
  });
});

describe("batches", () => {
  const writes = (count: number) =>
    testTable.documents.send(
      new BatchWriteCommand({
        RequestItems: {
          [testTable.TableName]: indexesTo(count).map((i) => ({
            PutRequest: { Item: { PK: "batch", SK: padIndex(i) } },
          })),
        },
      }),
    );

  test("25 writes are accepted and can be read in one batch", async () => {
    await writes(25);
    const Keys = indexesTo(25).map((i) => ({ PK: "batch", SK: padIndex(i) }));
    const { Responses } = await testTable.documents.send(
      new BatchGetCommand({ RequestItems: { [testTable.TableName]: { Keys } } }),
    );
    expect(Responses?.[testTable.TableName]).toHaveLength(25);
  });

  test("26 writes are rejected", async () => {
    await expect(writes(26)).rejects.toMatchObject(validationFailed);
  });
});
