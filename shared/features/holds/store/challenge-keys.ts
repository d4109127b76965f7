import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { DAY } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { itemDoesNotExist } from "#base/table/expressions.ts";
import { timeToLive } from "#base/table/keys.ts";
import { put } from "#base/table/writes.ts";
import { challengeKeyAttributes as A } from "./attributes.ts";
import { challengeKeyKey } from "./items.ts";

export type ChallengeKeys = ReturnType<typeof challengeKeyStore>;

/** The sealed keys of the check page's challenges: one for each day, in days since 1970. */
export function challengeKeyStore(table: Table) {
  const { client, name: TableName } = table;
  const toSealed = (item: Record<string, unknown> | null | undefined) =>
    (item?.[A.sealedKey] as Uint8Array | undefined) ?? null;
  return {
    /** The key of a day, read consistently. Null when no process has made it. */
    async get(day: number): Promise<Uint8Array | null> {
      const command = new GetCommand({ TableName, Key: challengeKeyKey(day), ConsistentRead: true });
      return toSealed((await client.send(command)).Item);
    },

    /**
     * Stores the key of a day. The first one of several stays. When the table's answer is lost, it is found again.
     * @returns the key that is stored
     */
    async create(day: number, sealed: Uint8Array): Promise<Uint8Array> {
      // Its last challenge has ended long before.
      const item = { ...challengeKeyKey(day), [A.sealedKey]: sealed, [A.ttl]: timeToLive((day + 2) * DAY) };
      const result = await conditionalWrite(table, put(item, itemDoesNotExist));
      return result.applied ? sealed : (toSealed(result.current) ?? sealed);
    },
  };
}
