import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
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
  setContains,
  sizeBelow,
  storedOr,
  storedPlus,
} from "#base/table/expressions.ts";
import { put, remove, update, type Write } from "#base/table/writes.ts";

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

/** One request of a store, to the table of this name. */
type Request = (TableName: string) => { readonly name: string; readonly command: object };

/** The requests that the stores make, to few keys, so that they meet. */
export const request: fc.Arbitrary<Request> = fc.oneof(
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
