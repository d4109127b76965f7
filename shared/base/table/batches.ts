import { BatchGetCommand, BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { forEachConcurrent } from "../kernel/parallel.ts";
import { ServiceUnavailable } from "../kernel/service-fault.ts";
import { ATTEMPTS_MAX, backoff } from "./backoff.ts";
import type { Table } from "./client.ts";
import type { Key } from "./keys.ts";

// The table may leave a part of a batch unprocessed. It is requested again after a growing wait, and in the end it is a
// fault, which the caller's queue repeats.

/** The most keys that one request may have. */
const READS_MAX = 100;
const WRITES_MAX = 25;

interface BatchGetOptions {
  readonly consistent?: boolean;
  /** The attributes to read, separated by commas. Default: all. */
  readonly projection?: string;
  /** Requests in flight at once. Default: all. */
  readonly concurrency?: number;
}

/** The items of these keys, in the order of the keys. Missing ones are left out. A key must not repeat. */
export async function batchGet<Item extends Key>(
  { client, name }: Table,
  keys: readonly Key[],
  { consistent = false, projection, concurrency = Number.POSITIVE_INFINITY }: BatchGetOptions = {},
): Promise<Item[]> {
  const itemsByKey = new Map<string, Item>();
  await forEachConcurrent(chunks(keys, READS_MAX), concurrency, (chunk) =>
    untilProcessed(chunk, async (Keys) => {
      const request = { Keys: [...Keys], ConsistentRead: consistent, ProjectionExpression: projection };
      const { Responses, UnprocessedKeys } = await client.send(
        new BatchGetCommand({ RequestItems: { [name]: request } }),
      );
      for (const item of (Responses?.[name] ?? []) as Item[]) itemsByKey.set(`${item.PK} ${item.SK}`, item);
      return (UnprocessedKeys?.[name]?.Keys ?? []) as Key[];
    }),
  );
  return keys.flatMap(({ PK, SK }) => itemsByKey.get(`${PK} ${SK}`) ?? []);
}

/** Removes the items of these keys. Safe to repeat. A key must not repeat. */
export async function batchRemove(
  { client, name }: Table,
  keys: readonly Key[],
  { concurrency }: { readonly concurrency: number },
): Promise<void> {
  await forEachConcurrent(chunks(keys, WRITES_MAX), concurrency, (chunk) =>
    untilProcessed(chunk, async (pendingKeys) => {
      const requests = pendingKeys.map((Key) => ({ DeleteRequest: { Key } }));
      const { UnprocessedItems } = await client.send(new BatchWriteCommand({ RequestItems: { [name]: requests } }));
      return (UnprocessedItems?.[name] ?? []).flatMap(({ DeleteRequest }) => (DeleteRequest?.Key as Key) ?? []);
    }),
  );
}

/** @param process returns the keys that the table left unprocessed */
async function untilProcessed(
  keys: readonly Key[],
  process: (keys: readonly Key[]) => Promise<readonly Key[]>,
): Promise<void> {
  let pendingKeys = keys;
  for (let attempt = 1; ; attempt++) {
    pendingKeys = await process(pendingKeys);
    if (pendingKeys.length === 0) return;
    if (attempt === ATTEMPTS_MAX)
      throw new ServiceUnavailable("The table left a part of a batch unprocessed too often.");
    await backoff(attempt);
  }
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}
