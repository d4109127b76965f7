import { GetItemCommand, PutItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { clientFor, startTestTable, type TestTable } from "./dynamo.ts";
import { Crash, type Fault, type FaultyOperation, injectFaults } from "./faults.ts";

let on: TestTable;
let stop = () => {};
let pk = 0;

beforeAll(async () => {
  on = await startTestTable();
});
afterAll(() => on.close());
afterEach(() => {
  stop();
  pk += 1;
});

function key() {
  return { PK: { S: `p${pk}` }, SK: { S: "a" } };
}

function add() {
  return new UpdateItemCommand({
    TableName: on.tableName,
    Key: key(),
    UpdateExpression: "ADD n :one",
    ExpressionAttributeValues: { ":one": { N: "1" } },
  });
}

function create() {
  return new PutItemCommand({
    TableName: on.tableName,
    Item: key(),
    ConditionExpression: "attribute_not_exists(PK)",
  });
}

/** What is there, seen by a client without faults. */
async function stored(): Promise<string | undefined> {
  const client = clientFor(on.endpoint);
  const { Item } = await client.send(new GetItemCommand({ TableName: on.tableName, Key: key(), ConsistentRead: true }));
  client.destroy();
  return Item === undefined ? undefined : (Item.n?.N ?? "no count");
}

/** The first attempt meets the fault, every later one passes. */
function first(fault: Fault): FaultyOperation[] {
  const seen: FaultyOperation[] = [];
  stop = injectFaults(on.client, (operation) => {
    seen.push(operation);
    return operation.index === 0 ? fault : "pass";
  });
  return seen;
}

test("pass changes nothing", async () => {
  const seen = first("pass");
  await on.client.send(add());
  expect(await stored()).toBe("1");
  expect(seen).toMatchObject([{ command: "UpdateItem", index: 0, input: { Key: key() } }]);
});

test("fail does nothing, and the SDK's retry succeeds", async () => {
  const seen = first("fail");
  await on.client.send(add());
  expect(await stored()).toBe("1");
  expect(seen.map(({ index }) => index)).toEqual([0, 1]);
});

test("a failure that lasts reaches the caller with nothing done", async () => {
  stop = injectFaults(on.client, () => "fail");
  await expect(on.client.send(add())).rejects.toThrow("injected: failed before");
  expect(await stored()).toBeUndefined();
});

test("lost does the work, and the SDK's retry does it again", async () => {
  const seen = first("lost");
  await on.client.send(add());
  expect(await stored()).toBe("2");
  expect(seen).toHaveLength(2);
});

test("lost makes a conditional write meet its own success", async () => {
  first("lost");
  await expect(on.client.send(create())).rejects.toMatchObject({ name: "ConditionalCheckFailedException" });
  expect(await stored()).toBe("no count");
});

test("lost hides a refusal too", async () => {
  await on.client.send(create());
  stop = injectFaults(on.client, () => "lost");
  await expect(on.client.send(create())).rejects.toThrow("injected: answer lost");
});

test("throttle does nothing, and the SDK's retry succeeds", async () => {
  const seen = first("throttle");
  await on.client.send(add());
  expect(await stored()).toBe("1");
  expect(seen).toHaveLength(2);
});

test("a throttle that lasts reaches the caller under AWS's name", async () => {
  stop = injectFaults(on.client, () => "throttle");
  await expect(on.client.send(add())).rejects.toMatchObject({ name: "ProvisionedThroughputExceededException" });
  expect(await stored()).toBeUndefined();
});

test("crash reaches the caller at once, with nothing done", async () => {
  const seen = first("crash");
  await expect(on.client.send(add())).rejects.toBeInstanceOf(Crash);
  expect(await stored()).toBeUndefined();
  expect(seen).toHaveLength(1);
});

test("twice does the work twice without a retry", async () => {
  const seen = first("twice");
  await on.client.send(add());
  expect(await stored()).toBe("2");
  expect(seen).toHaveLength(1);
});

test("twice gives the caller the first answer, success or refusal", async () => {
  stop = injectFaults(on.client, () => "twice");
  await expect(on.client.send(create())).resolves.toBeDefined();
  await expect(on.client.send(create())).rejects.toMatchObject({ name: "ConditionalCheckFailedException" });
});

test("a promised decision delays the attempt behind another", async () => {
  const { promise, resolve } = Promise.withResolvers<Fault>();
  stop = injectFaults(on.client, ({ index }) => (index === 0 ? promise : "pass"));
  const late = on.client.send(create());
  await on.client.send(create());
  resolve("pass");
  await expect(late).rejects.toMatchObject({ name: "ConditionalCheckFailedException" });
});

test("a document client made of the client meets the faults, with typed input", async () => {
  const seen = first("crash");
  const documents = DynamoDBDocumentClient.from(on.client);
  const Item = { PK: `p${pk}`, SK: "a" };
  await expect(documents.send(new PutCommand({ TableName: on.tableName, Item }))).rejects.toBeInstanceOf(Crash);
  expect(seen).toMatchObject([{ command: "PutItem", input: { Item: key() } }]);
});

test("faults end when stopped, and cannot be injected on top of others", async () => {
  stop = injectFaults(on.client, () => "crash");
  expect(() => injectFaults(on.client, () => "pass")).toThrow();
  stop();
  await on.client.send(add());
  expect(await stored()).toBe("1");
});
