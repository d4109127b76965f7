import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { TransactionConflictException } from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  BatchWriteCommand,
  DynamoDBDocumentClient,
  PutCommand,
  ScanCommand,
  TransactWriteCommand,
} from "@aws-sdk/lib-dynamodb";
import { beforeAll, describe, expect, test } from "vitest";
import { startTestTable } from "../dynamodb.ts";
import { type Fault, injectFaults, isPossibleFault } from "../faults.ts";
import { openedOnce } from "../opened.ts";
import { openWorldTable } from "./world-table.ts";

const KEYS = ["a", "b", "c"].map((SK) => ({ PK: "p", SK }));

describe.each([
  ["the engine", () => startTestTable()],
  ["the table in this process", async () => openWorldTable(() => 0)],
])("on %s", (_name, open) => {
  let TableName: string;
  let documents: DynamoDBDocumentClient;
  const testTable = openedOnce(open);
  beforeAll(async () => {
    TableName = testTable.tableName;
    documents = DynamoDBDocumentClient.from(testTable.client);
    for (const Item of KEYS) await documents.send(new PutCommand({ TableName, Item }));
  });

  async function withFault<T>(fault: Fault, work: () => Promise<T>): Promise<T> {
    const end = injectFaults(testTable.client as DynamoDBClient, () => fault);
    try {
      return await work();
    } finally {
      end();
    }
  }
  const storedKeys = async () => {
    const { Items = [] } = await documents.send(new ScanCommand({ TableName, ConsistentRead: true }));
    return Items.map(({ SK }) => SK).sort();
  };

  test("a batch of reads returns the first half and names the other", async () => {
    const read = new BatchGetCommand({ RequestItems: { [TableName]: { Keys: KEYS } } });
    const { Responses, UnprocessedKeys } = await withFault("partial", () => documents.send(read));
    expect(Responses?.[TableName]).toHaveLength(2);
    expect(UnprocessedKeys?.[TableName]?.Keys).toEqual([{ PK: "p", SK: "c" }]);
  });

  test("a batch of writes writes the first half and names the other", async () => {
    const requests = ["d", "e"].map((SK) => ({ PutRequest: { Item: { PK: "p", SK } } }));
    const write = new BatchWriteCommand({ RequestItems: { [TableName]: requests } });
    const { UnprocessedItems } = await withFault("partial", () => documents.send(write));
    expect(UnprocessedItems?.[TableName]).toEqual([{ PutRequest: { Item: { PK: "p", SK: "e" } } }]);
    expect(await storedKeys()).toEqual(["a", "b", "c", "d"]);
  });

  test("a conflict writes nothing, and the SDK does not retry", async () => {
    const put = new PutCommand({ TableName, Item: { PK: "p", SK: "x" } });
    await expect(withFault("conflict", () => documents.send(put))).rejects.toThrow(TransactionConflictException);
    const transaction = new TransactWriteCommand({
      TransactItems: [{ Put: { TableName, Item: { PK: "p", SK: "y" } } }],
    });
    await expect(withFault("conflict", () => documents.send(transaction))).rejects.toMatchObject({
      name: "TransactionCanceledException",
      CancellationReasons: [{ Code: "TransactionConflict" }],
    });
    expect(await storedKeys()).not.toEqual(expect.arrayContaining(["x", "y"]));
  });

  test("a read meets no conflict, as on AWS", async () => {
    const read = new BatchGetCommand({ RequestItems: { [TableName]: { Keys: KEYS } } });
    await expect(withFault("conflict", () => documents.send(read))).rejects.toThrow("BatchGetItem meets no conflict");
    expect(isPossibleFault("conflict", "BatchGetItem")).toBe(false);
    expect(isPossibleFault("conflict", "UpdateItem")).toBe(true);
    expect(isPossibleFault("partial", "UpdateItem")).toBe(false);
  });
});
