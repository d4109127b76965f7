import {
  type DynamoDBClient,
  IdempotentParameterMismatchException,
  type TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { isPresent, numberValues } from "#base/table/expressions.ts";
import { startTestTable } from "../dynamodb.ts";
import { openedOnce } from "../opened.ts";
import { repetitions } from "../sampling.ts";
import { request } from "./world-requests.ts";
import { openWorldTable, type WorldTable } from "./world-table.ts";

/** The response or the error, in a comparable form. Items of an index and of a batch may come in any order. */
async function outcome(client: DynamoDBDocumentClient, command: object, isOrdered: boolean): Promise<unknown> {
  try {
    const output = (await client.send(command as never)) as Record<string, unknown>;
    const { Items, Responses, Attributes, Item, Count, ScannedCount, LastEvaluatedKey } = output;
    const items = list(Items);
    return comparable({
      Attributes,
      Item,
      Count,
      ScannedCount,
      LastEvaluatedKey,
      items: isOrdered ? items : items.sort(),
      responses: list(Object.values(Responses ?? {})[0]).sort(),
    });
  } catch (error) {
    const { name, Item, CancellationReasons } = error as TransactionCanceledException & { Item?: unknown };
    return comparable({ name, Item, reasons: CancellationReasons?.map((reason) => [reason.Code, reason.Item]) });
  }
}

function list(items: unknown): string[] {
  return ((items as unknown[] | undefined) ?? []).map((item) => JSON.stringify(comparable(item)));
}

/** Without the order of attributes and of the elements of sets, and without attributes that are absent. */
function comparable(output: unknown): unknown {
  return JSON.parse(
    JSON.stringify(output ?? null, (name, part) => {
      if (part instanceof Set) return [...part].sort();
      if (Array.isArray(part) && name === "SS") return [...part].sort();
      if (part === null || typeof part !== "object" || Array.isArray(part)) return part;
      return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
    }),
  );
}

describe("beside the engine", () => {
  const engine = openedOnce(startTestTable);

  test("any sequence of the requests that the stores make has the same responses, errors and items", {
    timeout: 300_000,
  }, async () => {
    const documents = (client: DynamoDBClient) =>
      DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
    const engineClient = documents(engine.client);
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 40 }), async (requests) => {
        const world = openWorldTable(() => 0);
        const worldClient = documents(world.client);
        for (const { PK, SK } of await keysOf(engineClient, engine.tableName)) {
          await engineClient.send(new DeleteCommand({ TableName: engine.tableName, Key: { PK, SK } }));
        }
        for (const each of requests) {
          const { name, command } = each(engine.tableName);
          const isOrdered = name === "Query";
          const expected = await outcome(engineClient, command, isOrdered);
          const actual = await outcome(worldClient, each("world").command, isOrdered);
          expect(actual, `${name} ${JSON.stringify((command as { input?: object }).input)}`).toEqual(expected);
        }
        const scan = (TableName: string) => new ScanCommand({ TableName });
        expect(await outcome(worldClient, scan("world"), false)).toEqual(
          await outcome(engineClient, scan(engine.tableName), false),
        );
      }),
      { numRuns: repetitions({ whole: 400, sample: 40 }) },
    );
  });
});

async function keysOf(client: DynamoDBDocumentClient, TableName: string): Promise<Record<string, unknown>[]> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName, ProjectionExpression: "PK, SK" }));
  return Items;
}

describe("the token of a transaction", () => {
  let now = 0;
  const world = openWorldTable(() => now);
  const client = DynamoDBDocumentClient.from(world.client);
  const transact = (ClientRequestToken: string, v: number, condition?: string) =>
    client.send(
      new TransactWriteCommand({
        ClientRequestToken,
        TransactItems: [
          {
            Put: {
              TableName: "world",
              Item: { PK: "p", SK: "a", v },
              ...(condition ? { ConditionExpression: condition } : {}),
            },
          },
        ],
      }),
    );
  const read = async () =>
    (await client.send(new GetCommand({ TableName: "world", Key: { PK: "p", SK: "a" } }))).Item?.v;

  test("the token of a transaction makes a repetition do nothing for ten minutes, and refuses other writes", async () => {
    await transact("one", 1);
    await transact("two", 2);
    await transact("one", 1);
    expect(await read()).toBe(2);
    await expect(transact("one", 3)).rejects.toThrow(IdempotentParameterMismatchException);
    now += 10 * MINUTE;
    await transact("one", 3);
    expect(await read()).toBe(3);
  });

  test("the token of a transaction of a cancelled transaction runs it again, and refuses other writes", async () => {
    await expect(transact("cancelled", 4, "attribute_not_exists(PK)")).rejects.toThrow("Transaction cancelled");
    await expect(transact("cancelled", 4)).rejects.toThrow(IdempotentParameterMismatchException);
    await client.send(new DeleteCommand({ TableName: "world", Key: { PK: "p", SK: "a" } }));
    await transact("cancelled", 4, "attribute_not_exists(PK)");
    expect(await read()).toBe(4);
  });
});

describe("copies that are behind", () => {
  let now = 0;
  let world: WorldTable;
  let client: DynamoDBDocumentClient;

  function open(): void {
    now = 0;
    world = openWorldTable(() => now);
    client = DynamoDBDocumentClient.from(world.client);
  }
  const write = (SK: string, attributes: object = {}) =>
    client.send(new PutCommand({ TableName: "world", Item: { PK: "p", SK, F: "f", G: SK, ...attributes } }));
  const read = async (ConsistentRead: boolean) =>
    (await client.send(new GetCommand({ TableName: "world", Key: { PK: "p", SK: "a" }, ConsistentRead }))).Item?.v;
  const feed = async () => {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName: "world",
        IndexName: "GS1",
        KeyConditionExpression: "F = :f",
        ExpressionAttributeValues: { ":f": "f" },
      }),
    );
    return Items.map(({ SK }) => SK);
  };

  test("a read sees the item before the last writes, a consistent read the item", async () => {
    open();
    for (const v of [1, 2, 3]) await write("a", { v });
    world.setLag(() => 1);
    expect([await read(false), await read(true)]).toEqual([2, 3]);
    world.setLag(() => 0);
    expect(await read(false)).toBe(3);
  });

  test("an index has a copy of its own", async () => {
    open();
    await write("a");
    await write("b");
    world.setLag(({ source }) => (source === "GS1" ? 1 : 0));
    expect(await feed()).toEqual(["a"]);
    expect(await read(false)).toBeUndefined();
    world.setLag(({ source }) => (source === "base" ? 1 : 0));
    expect(await feed()).toEqual(["a", "b"]);
  });

  test("a copy never goes back, and is not behind for more than a second", async () => {
    open();
    for (const v of [1, 2, 3]) await write("a", { v });
    world.setLag(() => 1);
    expect(await read(false)).toBe(2);
    world.setLag(() => 3);
    expect(await read(false)).toBe(2);
    now += SECOND;
    expect(await read(false)).toBe(3);
  });
});

describe("what this table does not support", () => {
  test("a path into an attribute, an unknown function and an unknown operation are errors", async () => {
    const world = openWorldTable(() => 0);
    const client = DynamoDBDocumentClient.from(world.client);
    const update = (UpdateExpression: string) =>
      client.send(new UpdateCommand({ TableName: "world", Key: { PK: "p", SK: "s" }, UpdateExpression }));
    await expect(update("REMOVE a.b")).rejects.toThrow("Unsupported expression");
    await expect(update("SET a = list_append(a, a)")).rejects.toThrow("Unsupported update");
    const { texts } = numberValues({ condition: isPresent("PK") });
    expect(texts.condition).toBe("attribute_exists(PK)");
  });
});
