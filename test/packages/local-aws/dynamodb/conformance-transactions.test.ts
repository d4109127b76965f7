import { TransactGetCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, test } from "vitest";
import { openedOnce } from "../../../support/opened.ts";
import { indexesTo, startConformanceTable, validationFailed } from "./conformance-table.ts";

const testTable = openedOnce(startConformanceTable);

describe("transactions", () => {
  test("put, update, check and delete happen together", async () => {
    await testTable.put("tx", "update", { n: 1 });
    await testTable.put("tx", "check", { open: true });
    await testTable.put("tx", "delete");
    await testTable.documents.send(
      new TransactWriteCommand({
        TransactItems: [
          {
            Put: {
              TableName: testTable.TableName,
              Item: { PK: "tx", SK: "put" },
              ConditionExpression: "attribute_not_exists(PK)",
            },
          },
          {
            Update: {
              TableName: testTable.TableName,
              Key: { PK: "tx", SK: "update" },
              UpdateExpression: "SET n = n + :one",
              ExpressionAttributeValues: { ":one": 1 },
            },
          },
          {
            ConditionCheck: {
              TableName: testTable.TableName,
              Key: { PK: "tx", SK: "check" },
              ConditionExpression: "#open = :true",
              ExpressionAttributeNames: { "#open": "open" },
              ExpressionAttributeValues: { ":true": true },
            },
          },
          { Delete: { TableName: testTable.TableName, Key: { PK: "tx", SK: "delete" } } },
        ],
      }),
    );
    const { items } = await testTable.queryAll({
      KeyConditionExpression: "PK = :p",
      ExpressionAttributeValues: { ":p": "tx" },
    });
    expect(items).toEqual([
      { PK: "tx", SK: "check", open: true },
      { PK: "tx", SK: "put" },
      { PK: "tx", SK: "update", n: 2 },
    ]);
  });

  test("a failed condition cancels the transaction and its reasons contain the item", async () => {
    await testTable.put("cancel", "there", { n: 1 });
    const cancelled = testTable.documents.send(
      new TransactWriteCommand({
        TransactItems: [
          { Put: { TableName: testTable.TableName, Item: { PK: "cancel", SK: "never" } } },
          {
            Update: {
              TableName: testTable.TableName,
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
    expect(await testTable.get("cancel", "never")).toBeUndefined();
    expect(await testTable.get("cancel", "there")).toMatchObject({ n: 1 });
  });

  test("a repeated token applies its writes once and is rejected with other writes", async () => {
    const add = (amount: number) =>
      testTable.documents.send(
        new TransactWriteCommand({
          ClientRequestToken: "one-token",
          TransactItems: [
            {
              Update: {
                TableName: testTable.TableName,
                Key: { PK: "token", SK: "1" },
                UpdateExpression: "ADD n :by",
                ExpressionAttributeValues: { ":by": amount },
              },
            },
          ],
        }),
      );
    await add(1);
    await add(1);
    expect(await testTable.get("token", "1")).toMatchObject({ n: 1 });
    await expect(add(2)).rejects.toMatchObject({ name: "IdempotentParameterMismatchException" });
  });

  const puts = (sks: readonly string[]) =>
    testTable.documents.send(
      new TransactWriteCommand({
        TransactItems: sks.map((SK) => ({ Put: { TableName: testTable.TableName, Item: { PK: "tx-many", SK } } })),
      }),
    );

  test("an item may occur once", async () => {
    await expect(puts(["same", "same"])).rejects.toMatchObject(validationFailed);
  });

  test("100 items are accepted, 101 are rejected", async () => {
    await puts(indexesTo(100).map(String));
    await expect(puts(indexesTo(101).map(String))).rejects.toMatchObject(validationFailed);
  });

  test("concurrent transactions never exceed a budget, and each applied one writes its item", async () => {
    await testTable.put("budget", "left", { n: 0 });
    const spend = (i: number) =>
      testTable.documents.send(
        new TransactWriteCommand({
          TransactItems: [
            {
              Update: {
                TableName: testTable.TableName,
                Key: { PK: "budget", SK: "left" },
                UpdateExpression: "SET n = n + :one",
                ConditionExpression: "n < :max",
                ExpressionAttributeValues: { ":one": 1, ":max": 10 },
              },
            },
            { Put: { TableName: testTable.TableName, Item: { PK: "spent", SK: String(i) } } },
          ],
        }),
      );
    const results = await Promise.allSettled(indexesTo(40).map(spend));
    const won = results.filter(({ status }) => status === "fulfilled").length;
    const spent = await testTable.query({
      KeyConditionExpression: "PK = :p",
      ExpressionAttributeValues: { ":p": "spent" },
    });
    expect(won).toBeGreaterThan(0);
    expect(won).toBeLessThanOrEqual(10);
    expect(spent.Count).toBe(won);
    expect(await testTable.get("budget", "left")).toMatchObject({ n: won });
  });

  test("a transactional read returns a position for a missing item", async () => {
    await testTable.put("tx-get", "1", { n: 1 });
    const TransactItems = ["1", "none"].map((SK) => ({
      Get: { TableName: testTable.TableName, Key: { PK: "tx-get", SK } },
    }));
    const { Responses } = await testTable.documents.send(new TransactGetCommand({ TransactItems }));
    expect(Responses?.map(({ Item }) => Item?.n)).toEqual([1, undefined]);
  });
});
