import {
  type AttributeValue,
  DescribeTableCommand,
  type DynamoDBClient,
  type KeySchemaElement,
} from "@aws-sdk/client-dynamodb";
import type { Item } from "../item-size.ts";

/** What billing needs to know of an index: who is in it, and what it copies. */
export interface IndexShape {
  readonly keys: readonly string[];
  /** The attributes it copies; null when it copies all. */
  readonly projected: ReadonlySet<string> | null;
}

export interface TableShape {
  readonly keys: readonly string[];
  readonly indexes: readonly IndexShape[];
}

export async function shapeOf(client: DynamoDBClient, tableName: string): Promise<TableShape> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
  const keys = namesOf(Table?.KeySchema);
  if ((Table?.LocalSecondaryIndexes?.length ?? 0) > 0) throw new Error("The meter does not bill local indexes.");
  const indexes = (Table?.GlobalSecondaryIndexes ?? []).map(({ KeySchema, Projection }) => {
    const indexKeys = namesOf(KeySchema);
    const copied = new Set([...keys, ...indexKeys, ...(Projection?.NonKeyAttributes ?? [])]);
    return { keys: indexKeys, projected: Projection?.ProjectionType === "ALL" ? null : copied };
  });
  return { keys, indexes };
}

/** The item as the index holds it; null when it lacks one of the index's keys and so is not in it. */
export function entryOf(index: IndexShape, item: Item | null): Item | null {
  if (item === null || index.keys.some((name) => item[name] === undefined)) return null;
  const { projected } = index;
  return projected === null ? item : pick(item, [...projected]);
}

export function pick(item: Item, names: readonly string[]): Item {
  const picked: Item = {};
  for (const name of names) {
    const value = item[name];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}

/** A key with typed values, of one that a document client may have turned into plain ones. */
export function typedKey(key: Record<string, unknown>): Item {
  return Object.fromEntries(Object.entries(key).map(([name, value]) => [name, typed(value)]));
}

function typed(value: unknown): AttributeValue {
  if (typeof value === "string") return { S: value };
  if (typeof value === "number" || typeof value === "bigint") return { N: String(value) };
  if (value instanceof Uint8Array) return { B: value };
  return value as AttributeValue;
}

/** A text that two items share exactly when they are equal: neither the order of names nor that of sets counts. */
export function canonical(item: Item | null): string {
  return JSON.stringify(item === null ? null : entries(item));
}

function entries(item: Item): unknown[] {
  return Object.entries(item)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => [name, plain(value)]);
}

function plain(value: AttributeValue): unknown {
  if (value.B !== undefined) return { B: base64(value.B) };
  if (value.SS !== undefined) return { SS: [...value.SS].sort() };
  if (value.NS !== undefined) return { NS: [...value.NS].sort() };
  if (value.BS !== undefined) return { BS: value.BS.map(base64).sort() };
  if (value.L !== undefined) return { L: value.L.map(plain) };
  if (value.M !== undefined) return { M: entries(value.M) };
  return value;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

function namesOf(schema: readonly KeySchemaElement[] | undefined): string[] {
  return (schema ?? []).flatMap(({ AttributeName }) => AttributeName ?? []);
}
