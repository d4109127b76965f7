import { GetItemCommand, PutItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, expect, test } from "vitest";
import { startTestTable } from "./dynamodb.ts";
import { clientFor } from "./engine/engine.ts";
import { Crash, type Fault, type FaultyOperation, injectFaults } from "./faults.ts";
import { openedOnce } from "./opened.ts";

let stop = () => {};
let pk = 0;

const testTable = openedOnce(startTestTable);
afterEach(() => {
  stop();
  pk += 1;
});

function key() {
  return { PK: { S: `p${pk}` }, SK: { S: "a" } };
}

function addOne() {
  return new UpdateItemCommand({
    TableName: testTable.tableName,
    Key: key(),
    UpdateExpression: "ADD n :one",
    ExpressionAttributeValues: { ":one": { N: "1" } },
  });
}

function createItem() {
  return new PutItemCommand({
    TableName: testTable.tableName,
    Item: key(),
    ConditionExpression: "attribute_not_exists(PK)",
  });
}

/** The stored item, read by a client without faults. */
async function readItem(): Promise<string | undefined> {
  const client = clientFor(testTable.endpoint);
  const { Item } = await client.send(
    new GetItemCommand({ TableName: testTable.tableName, Key: key(), ConsistentRead: true }),
  );
  client.destroy();
  return Item === undefined ? undefined : (Item.n?.N ?? "no count");
}

/** The first attempt gets the fault, every later one passes. */
function faultFirst(fault: Fault): FaultyOperation[] {
  const operations: FaultyOperation[] = [];
  stop = injectFaults(testTable.client, (operation) => {
    operations.push(operation);
    return operation.index === 0 ? fault : "pass";
  });
  return operations;
}

test("the fault pass changes nothing", async () => {
  const operations = faultFirst("pass");
  await testTable.client.send(addOne());
  expect(await readItem()).toBe("1");
  expect(operations).toMatchObject([{ command: "UpdateItem", index: 0, input: { Key: key() } }]);
});

test("the fault fail does nothing, and the SDK's retry succeeds", async () => {
  const operations = faultFirst("fail");
  await testTable.client.send(addOne());
  expect(await readItem()).toBe("1");
  expect(operations.map(({ index }) => index)).toEqual([0, 1]);
});

test("a failure that persists reaches the caller with nothing done", async () => {
  stop = injectFaults(testTable.client, () => "fail");
  await expect(testTable.client.send(addOne())).rejects.toThrow("injected: failed before");
  expect(await readItem()).toBeUndefined();
});

test("lost does the work, and the SDK's retry does it again", async () => {
  const operations = faultFirst("lost");
  await testTable.client.send(addOne());
  expect(await readItem()).toBe("2");
  expect(operations).toHaveLength(2);
});

test("lost makes the retry of a conditional write fail on the first try's success", async () => {
  faultFirst("lost");
  await expect(testTable.client.send(createItem())).rejects.toMatchObject({ name: "ConditionalCheckFailedException" });
  expect(await readItem()).toBe("no count");
});

test("lost hides a failed condition, too", async () => {
  await testTable.client.send(createItem());
  stop = injectFaults(testTable.client, () => "lost");
  await expect(testTable.client.send(createItem())).rejects.toThrow("injected: answer lost");
});

test("the fault throttle does nothing, and the SDK's retry succeeds", async () => {
  const operations = faultFirst("throttle");
  await testTable.client.send(addOne());
  expect(await readItem()).toBe("1");
  expect(operations).toHaveLength(2);
});

test("a throttle that persists reaches the caller under AWS's name", async () => {
  stop = injectFaults(testTable.client, () => "throttle");
  await expect(testTable.client.send(addOne())).rejects.toMatchObject({
    name: "ProvisionedThroughputExceededException",
  });
  expect(await readItem()).toBeUndefined();
});

test("the fault crash reaches the caller at once, with nothing done", async () => {
  const operations = faultFirst("crash");
  await expect(testTable.client.send(addOne())).rejects.toBeInstanceOf(Crash);
  expect(await readItem()).toBeUndefined();
  expect(operations).toHaveLength(1);
});

test("the fault twice does the work twice without a retry", async () => {
  const operations = faultFirst("twice");
  await testTable.client.send(addOne());
  expect(await readItem()).toBe("2");
  expect(operations).toHaveLength(1);
});

test("twice returns the first response to the caller, success or refusal", async () => {
  stop = injectFaults(testTable.client, () => "twice");
  await expect(testTable.client.send(createItem())).resolves.toBeDefined();
  await expect(testTable.client.send(createItem())).rejects.toMatchObject({ name: "ConditionalCheckFailedException" });
});

test("a decision that is a promise delays its attempt behind another", async () => {
  const { promise, resolve } = Promise.withResolvers<Fault>();
  stop = injectFaults(testTable.client, ({ index }) => (index === 0 ? promise : "pass"));
  const late = testTable.client.send(createItem());
  await testTable.client.send(createItem());
  resolve("pass");
  await expect(late).rejects.toMatchObject({ name: "ConditionalCheckFailedException" });
});

test("a document client made of the client gets the faults, with typed input", async () => {
  const operations = faultFirst("crash");
  const documents = DynamoDBDocumentClient.from(testTable.client);
  const Item = { PK: `p${pk}`, SK: "a" };
  await expect(documents.send(new PutCommand({ TableName: testTable.tableName, Item }))).rejects.toBeInstanceOf(Crash);
  expect(operations).toMatchObject([{ command: "PutItem", input: { Item: key() } }]);
});

test("faults end when they are removed, and cannot be injected on top of others", async () => {
  stop = injectFaults(testTable.client, () => "crash");
  expect(() => injectFaults(testTable.client, () => "pass")).toThrow("Duplicate middleware name");
  stop();
  await testTable.client.send(addOne());
  expect(await readItem()).toBe("1");
});
