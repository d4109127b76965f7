import { BatchGetCommand } from "@aws-sdk/lib-dynamodb";
import type { Table } from "./client.ts";
import type { Key } from "./keys.ts";

/** The most keys that one request may have. */
const KEYS_MAX = 100;

/** The items of these keys, in the order of the keys. Missing ones are left out. A key must not repeat. */
export async function batchGet<Item extends Key>(
  { client, name }: Table,
  keys: readonly Key[],
  { consistent = false } = {},
): Promise<Item[]> {
  const itemsByKey = new Map<string, Item>();
  async function get(requestedKeys: readonly Key[]): Promise<void> {
    for (let pendingKeys = requestedKeys; pendingKeys.length > 0; ) {
      const { Responses, UnprocessedKeys } = await client.send(
        new BatchGetCommand({ RequestItems: { [name]: { Keys: [...pendingKeys], ConsistentRead: consistent } } }),
      );
      for (const item of (Responses?.[name] ?? []) as Item[]) itemsByKey.set(`${item.PK} ${item.SK}`, item);
      pendingKeys = (UnprocessedKeys?.[name]?.Keys ?? []) as Key[];
    }
  }
  const requests: Promise<void>[] = [];
  for (let start = 0; start < keys.length; start += KEYS_MAX) requests.push(get(keys.slice(start, start + KEYS_MAX)));
  await Promise.all(requests);
  return keys.flatMap(({ PK, SK }) => itemsByKey.get(`${PK} ${SK}`) ?? []);
}
