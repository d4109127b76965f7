import { GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, test } from "vitest";
import { openedOnce } from "../../../support/opened.ts";
import { type Attributes, startConformanceTable, validationFailed } from "./conformance-table.ts";

const testTable = openedOnce(startConformanceTable);

describe("items", () => {
  test("numbers of 38 digits, binary, null, booleans and sets are returned unchanged", async () => {
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
    await testTable.documents.send(new PutCommand({ TableName: testTable.TableName, Item: item }));
    expect(await testTable.get("types", "1")).toEqual(item);
    const n = 12345678901234567890123456789012345678n;
    await testTable.put("types", "big", { n });
    expect(await testTable.get("types", "big")).toMatchObject({ n });
  });

  test("an item over 400 KB is rejected", async () => {
    await expect(testTable.put("large", "1", { d: "x".repeat(410 * 1024) })).rejects.toMatchObject(validationFailed);
  });

  test("an empty key, a key of the wrong type and an incomplete key are rejected", async () => {
    await expect(testTable.put("", "1")).rejects.toMatchObject(validationFailed);
    const read = (Key: Attributes) => testTable.documents.send(new GetCommand({ TableName: testTable.TableName, Key }));
    await expect(read({ PK: 1, SK: "1" })).rejects.toMatchObject(validationFailed);
    await expect(read({ PK: "a" })).rejects.toMatchObject(validationFailed);
  });

  test("a reserved word and an unused value are rejected", async () => {
    const update = (UpdateExpression: string, values: Attributes) =>
      testTable.documents.send(
        new UpdateCommand({
          TableName: testTable.TableName,
          Key: { PK: "words", SK: "1" },
          UpdateExpression,
          ExpressionAttributeValues: values,
        }),
      );
    await expect(update("SET status = :s", { ":s": 1 })).rejects.toMatchObject(validationFailed);
    await expect(update("SET v = :s", { ":s": 1, ":unused": 1 })).rejects.toMatchObject(validationFailed);
  });

  test("a missing table has its own error", async () => {
    const read = new GetCommand({ TableName: "no-such-table", Key: { PK: "a", SK: "b" } });
    await expect(testTable.documents.send(read)).rejects.toMatchObject({ name: "ResourceNotFoundException" });
  });
});
