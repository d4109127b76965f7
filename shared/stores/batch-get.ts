import { BatchGetCommand } from "@aws-sdk/lib-dynamodb";
import type { Table } from "./client.ts";
import type { Key } from "./keys.ts";

/** Keys that one request may name. */
const KEYS_MAX = 100;

/** The items at these keys, each named once, in their order; those that are not there are left out. */
export async function batchGet<Item extends Key>(
  { client, name }: Table,
  keys: readonly Key[],
  { consistent = false } = {},
): Promise<Item[]> {
  const found = new Map<string, Item>();
  async function get(wanted: readonly Key[]): Promise<void> {
    for (let left = wanted; left.length > 0; ) {
      const { Responses, UnprocessedKeys } = await client.send(
        new BatchGetCommand({ RequestItems: { [name]: { Keys: [...left], ConsistentRead: consistent } } }),
      );
      for (const item of (Responses?.[name] ?? []) as Item[]) found.set(`${item.PK} ${item.SK}`, item);
      left = (UnprocessedKeys?.[name]?.Keys ?? []) as Key[];
    }
  }
  const requests: Promise<void>[] = [];
  for (let at = 0; at < keys.length; at += KEYS_MAX) requests.push(get(keys.slice(at, at + KEYS_MAX)));
  await Promise.all(requests);
  return keys.flatMap(({ PK, SK }) => found.get(`${PK} ${SK}`) ?? []);
}
