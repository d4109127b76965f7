import { DeleteCommand, GetCommand, PutCommand, QueryCommand, ScanCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Table } from "#base/table/client.ts";
import type { Key } from "#base/table/keys.ts";

// What tests read and write beside the stores.

export type StoredItem = Record<string, unknown>;

/** Reads an item consistently. */
export async function readItem({ client, name: TableName }: Table, { PK, SK }: Key): Promise<StoredItem | undefined> {
  return (await client.send(new GetCommand({ TableName, Key: { PK, SK }, ConsistentRead: true }))).Item;
}

export async function writeItem({ client, name: TableName }: Table, Item: object): Promise<void> {
  await client.send(new PutCommand({ TableName, Item }));
}

/** Removes an item, as its time to live does. */
export async function deleteItem({ client, name: TableName }: Table, { PK, SK }: Key): Promise<void> {
  await client.send(new DeleteCommand({ TableName, Key: { PK, SK } }));
}

/** Sets attributes of an item by their stored names. */
export async function setAttributes({ client, name: TableName }: Table, { PK, SK }: Key, values: object) {
  const names = Object.keys(values);
  await client.send(
    new UpdateCommand({
      TableName,
      Key: { PK, SK },
      UpdateExpression: `SET ${names.map((_, i) => `#${i} = :${i}`).join(", ")}`,
      ExpressionAttributeNames: Object.fromEntries(names.map((name, i) => [`#${i}`, name])),
      ExpressionAttributeValues: Object.fromEntries(Object.values(values).map((value, i) => [`:${i}`, value])),
    }),
  );
}

/** The items of a partition, at most one page. @param start of their sort keys */
export async function queryItems(
  { client, name: TableName }: Table,
  partition: string,
  start = "",
): Promise<StoredItem[]> {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: start ? "PK = :p AND begins_with(SK, :s)" : "PK = :p",
      ExpressionAttributeValues: start ? { ":p": partition, ":s": start } : { ":p": partition },
      ConsistentRead: true,
    }),
  );
  return Items;
}

/** The items of the whole table, at most one page. @param start of their partition keys */
export async function scanItems({ client, name: TableName }: Table, start = ""): Promise<StoredItem[]> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName, ConsistentRead: true }));
  return Items.filter(({ PK }) => String(PK).startsWith(start));
}
