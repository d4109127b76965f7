import {
  type AttributeValue,
  DescribeTableCommand,
  type DynamoDBClient,
  type KeySchemaElement,
} from "@aws-sdk/client-dynamodb";
import type { Item } from "../item-size.ts";

/** The part of an index that billing needs: its keys and the attributes it copies. */
export interface IndexSchema {
  readonly keys: readonly string[];
  /** The copied attributes; null when it copies all. */
  readonly projected: ReadonlySet<string> | null;
}

export interface TableSchema {
  readonly keys: readonly string[];
  readonly indexes: readonly IndexSchema[];
}

export async function describeSchema(client: DynamoDBClient, tableName: string): Promise<TableSchema> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
  const keys = attributeNames(Table?.KeySchema);
  if ((Table?.LocalSecondaryIndexes?.length ?? 0) > 0) throw new Error("The meter does not bill local indexes.");
  const indexes = (Table?.GlobalSecondaryIndexes ?? []).map(({ KeySchema, Projection }) => {
    const indexKeys = attributeNames(KeySchema);
    const projected = new Set([...keys, ...indexKeys, ...(Projection?.NonKeyAttributes ?? [])]);
    return { keys: indexKeys, projected: Projection?.ProjectionType === "ALL" ? null : projected };
  });
  return { keys, indexes };
}

/** The item as the index stores it; null when it lacks one of the index's keys and so is not in the index. */
export function indexEntry(index: IndexSchema, item: Item | null): Item | null {
  if (item === null || index.keys.some((name) => item[name] === undefined)) return null;
  const { projected } = index;
  return projected === null ? item : pickAttributes(item, [...projected]);
}

export function pickAttributes(item: Item, names: readonly string[]): Item {
  const result: Item = {};
  for (const name of names) {
    const value = item[name];
    if (value !== undefined) result[name] = value;
  }
  return result;
}

/** A key with typed values. A document client may have turned them into plain ones. */
export function typedKey(key: Record<string, unknown>): Item {
  return Object.fromEntries(Object.entries(key).map(([name, value]) => [name, toAttributeValue(value)]));
}

function toAttributeValue(value: unknown): AttributeValue {
  if (typeof value === "string") return { S: value };
  if (typeof value === "number" || typeof value === "bigint") return { N: String(value) };
  if (value instanceof Uint8Array) return { B: value };
  return value as AttributeValue;
}

/** A text that two items share exactly when they are equal. The order of names and set members is ignored. */
export function canonicalJson(item: Item | null): string {
  return JSON.stringify(item === null ? null : sortedEntries(item));
}

function sortedEntries(item: Item): unknown[] {
  return Object.entries(item)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => [name, normalizeValue(value)]);
}

function normalizeValue(value: AttributeValue): unknown {
  if (value.B !== undefined) return { B: base64(value.B) };
  if (value.SS !== undefined) return { SS: [...value.SS].sort() };
  if (value.NS !== undefined) return { NS: [...value.NS].sort() };
  if (value.BS !== undefined) return { BS: value.BS.map(base64).sort() };
  if (value.L !== undefined) return { L: value.L.map(normalizeValue) };
  if (value.M !== undefined) return { M: sortedEntries(value.M) };
  return value;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

function attributeNames(schema: readonly KeySchemaElement[] | undefined): string[] {
  return (schema ?? []).flatMap(({ AttributeName }) => AttributeName ?? []);
}
