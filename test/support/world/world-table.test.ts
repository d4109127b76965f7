import {
  type DynamoDBClient,
  IdempotentParameterMismatchException,
  type TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  BatchWriteCommand,
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
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MINUTE, SECOND } from "../../../shared/kernel/time.ts";
import {
  absentOr,
  allOf,
  anyOf,
  atLeast,
  below,
  type Changes,
  copyOf,
  differs,
  type Expression,
  equals,
  isAbsent,
  isOneOf,
  isPresent,
  numberValues,
  setContains,
  sizeBelow,
  storedOr,
  storedPlus,
} from "../../../shared/stores/expressions.ts";
import { put, remove, update, type Write } from "../../../shared/stores/writes.ts";
import { startTestTable, type TestTable } from "../dynamodb.ts";
import { repetitions } from "../sampling.ts";
import { openWorldTable, type WorldTable } from "./world-table.ts";

const PARTITIONS = ["p0", "p1"];
const SORT_KEYS = ["a", "b", "b#1", "c"];

const key = fc.record({ PK: fc.constantFrom(...PARTITIONS), SK: fc.constantFrom(...SORT_KEYS) });
const attribute = fc.constantFrom("n", "s");
const value = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.constantFrom("", "a", "b", "ab"));
const tags = fc.uniqueArray(fc.constantFrom("x", "y", "z"), { minLength: 1 }).map((names) => new Set(names));

const condition: fc.Arbitrary<Expression> = fc.letrec<{ any: Expression }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 2 },
    fc
      .tuple(fc.constantFrom(equals, differs, below, atLeast), attribute, value)
      .map(([make, name, v]) => make(name, v)),
    attribute.map(isAbsent),
    attribute.map(isPresent),
    fc.tuple(attribute, fc.array(value, { minLength: 1, maxLength: 3 })).map(([name, values]) => isOneOf(name, values)),
    fc.tuple(attribute, value).map(([name, v]) => absentOr(below, name, v)),
    fc.constantFrom("x", "y").map((tag) => setContains("tags", tag)),
    fc.integer({ min: 0, max: 3 }).map((size) => sizeBelow("tags", size)),
    fc.tuple(tie("any"), tie("any")).map(([left, right]) => allOf(left, right)),
    fc.tuple(tie("any"), tie("any")).map(([left, right]) => anyOf(left, right)),
  ),
})).any;

const indexed = fc.record(
  {
    F: fc.constantFrom("f0", "f1"),
    G: fc.constantFrom("1", "2", "3"),
    i: fc.constantFrom("i0", "i1"),
    W: fc.constant("w"),
  },
  { requiredKeys: [] },
);

const changes: fc.Arbitrary<Changes> = fc
  .record({
    set: fc.oneof(
      value.map((v) => ({ s: v })),
      fc.integer().map((v) => ({ s: storedOr("n", v) })),
      fc.constant({ s: copyOf("n") }),
      fc.constant({ n: storedPlus("n", 2) }),
      indexed,
    ),
    remove: fc.constantFrom<string[]>([], ["at"]),
    add: fc.oneof(
      fc.constant({}),
      fc.constant({ k: 2 }),
      tags.map((names) => ({ tags: names })),
    ),
  })
  .chain((all) =>
    tags.map((names) => (Object.keys(all.add).includes("tags") ? all : { ...all, deleteFrom: { tags: names } })),
  );

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const write: fc.Arbitrary<Write> = fc.oneof(
  fc
    .tuple(key, fc.dictionary(attribute, value, { maxKeys: 2 }), indexed, optional(tags), optional(condition))
    .map(([Key, attributes, index, names, when]) =>
      put({ ...attributes, ...index, ...(names ? { tags: names } : {}), ...Key }, when),
    ),
  fc
    // The old attributes of an update differ between the engines where the item does not exist.
    .tuple(key, changes, optional(condition), fc.constantFrom("ALL_NEW", "UPDATED_NEW", undefined))
    .map(([Key, change, when, returns]) => update(Key, change, when, returns)),
  fc
    .tuple(key, optional(condition), fc.constantFrom("ALL_OLD", undefined))
    .map(([Key, when, returns]) => remove(Key, when, returns)),
);

type Request = (TableName: string) => { readonly name: string; readonly command: object };

const request: fc.Arbitrary<Request> = fc.oneof(
  { weight: 8, arbitrary: write.map((each) => (TableName: string) => toCommand(TableName, each)) },
  {
    weight: 2,
    arbitrary: fc
      .uniqueArray(write, { minLength: 1, maxLength: 3, selector: (each) => JSON.stringify(keyOf(each)) })
      .map((writes) => (TableName: string) => ({
        name: "TransactWrite",
        command: new TransactWriteCommand({ TransactItems: writes.map((each) => toPart(TableName, each)) }),
      })),
  },
  {
    weight: 1,
    arbitrary: key.map((Key) => (TableName: string) => ({ name: "Get", command: new GetCommand({ TableName, Key }) })),
  },
  {
    weight: 1,
    arbitrary: fc
      .uniqueArray(key, { minLength: 1, maxLength: 3, selector: (each) => JSON.stringify(each) })
      .map((Keys) => (name: string) => ({
        name: "BatchGet",
        command: new BatchGetCommand({ RequestItems: { [name]: { Keys, ProjectionExpression: "PK, SK, s" } } }),
      })),
  },
  {
    weight: 1,
    arbitrary: fc
      .uniqueArray(key, { minLength: 1, maxLength: 3, selector: (each) => JSON.stringify(each) })
      .map((keys) => (name: string) => ({
        name: "BatchWrite",
        command: new BatchWriteCommand({ RequestItems: { [name]: keys.map((Key) => ({ DeleteRequest: { Key } })) } }),
      })),
  },
  { weight: 3, arbitrary: fc.oneof(baseQuery(), feedQuery(), idQuery(), failingQuery()) },
);

function baseQuery(): fc.Arbitrary<Request> {
  return fc
    .record({
      range: fc.constantFrom("", " AND SK BETWEEN :from AND :upTo", " AND begins_with(SK, :from)", " AND SK > :from"),
      from: fc.constantFrom("a", "b", "b#"),
      filter: fc.boolean(),
      Limit: optional(fc.integer({ min: 1, max: 3 })),
      ScanIndexForward: fc.boolean(),
      start: optional(key),
    })
    .map(({ range, from, filter, start, ...rest }) => (TableName) => {
      const values = {
        ":p": "p0",
        ...(range ? { ":from": from } : {}),
        ...(range.includes(":upTo") ? { ":upTo": "b~" } : {}),
      };
      const inRange = start?.PK === "p0" && range === "" ? { ExclusiveStartKey: start } : {};
      return {
        name: "Query",
        command: new QueryCommand({
          TableName,
          KeyConditionExpression: `PK = :p${range}`,
          ExpressionAttributeValues: filter ? { ...values, ":x": "x" } : values,
          ...(filter ? { FilterExpression: "contains(tags, :x)" } : {}),
          ...rest,
          ...inRange,
        }),
      };
    });
}

function feedQuery(): fc.Arbitrary<Request> {
  return fc.boolean().map((ScanIndexForward) => (TableName) => ({
    name: "Query of GS1",
    command: new QueryCommand({
      TableName,
      IndexName: "GS1",
      KeyConditionExpression: "F = :f AND G <= :upTo",
      ExpressionAttributeValues: { ":f": "f0", ":upTo": "2" },
      ScanIndexForward,
    }),
  }));
}

function idQuery(): fc.Arbitrary<Request> {
  return fc.constant((TableName) => ({
    name: "Query of GS2",
    command: new QueryCommand({
      TableName,
      IndexName: "GS2",
      KeyConditionExpression: "i = :i",
      ExpressionAttributeValues: { ":i": "i0" },
    }),
  }));
}

function failingQuery(): fc.Arbitrary<Request> {
  return fc.constant((TableName) => ({
    name: "Query of GS3",
    command: new QueryCommand({
      TableName,
      IndexName: "GS3",
      KeyConditionExpression: "W = :w AND SK >= :from",
      ExpressionAttributeValues: { ":w": "w", ":from": "b" },
    }),
  }));
}

function keyOf(each: Write): unknown {
  if ("Put" in each) return [each.Put.Item?.PK, each.Put.Item?.SK];
  const { Key } = "Update" in each ? each.Update : each.Delete;
  return [Key?.PK, Key?.SK];
}

function toPart(TableName: string, each: Write) {
  const [kind, input] = Object.entries(each)[0] as [string, object];
  const { ReturnValues: _, ...rest } = input as { ReturnValues?: string };
  return { [kind]: { TableName, ...rest, ...onFailure(rest) } };
}

function toCommand(TableName: string, each: Write) {
  const [name, input] = Object.entries(each)[0] as ["Put" | "Update" | "Delete", object];
  const full = { TableName, ...input, ...onFailure(input) } as never;
  const command = {
    Put: () => new PutCommand(full),
    Update: () => new UpdateCommand(full),
    Delete: () => new DeleteCommand(full),
  };
  return { name, command: command[name]() };
}

const onFailure = (input: object) =>
  "ConditionExpression" in input ? { ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const } : {};

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
  let engine: TestTable;
  beforeAll(async () => {
    engine = await startTestTable();
  });
  afterAll(() => engine.close());

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

  test("makes a repetition do nothing for ten minutes, and refuses other writes", async () => {
    await transact("one", 1);
    await transact("two", 2);
    await transact("one", 1);
    expect(await read()).toBe(2);
    await expect(transact("one", 3)).rejects.toThrow(IdempotentParameterMismatchException);
    now += 10 * MINUTE;
    await transact("one", 3);
    expect(await read()).toBe(3);
  });

  test("of a cancelled transaction runs it again, and refuses other writes", async () => {
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
