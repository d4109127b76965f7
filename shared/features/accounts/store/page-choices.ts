import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { timeToLive } from "#base/table/keys.ts";
import { put, sendWrite } from "#base/table/writes.ts";
import { pageChoiceAttributes as A } from "./attributes.ts";
import { pageChoiceKey } from "./items.ts";

/** What a person needs to choose among their pages after a login. */
export interface PageChoice {
  /** The token of the login, encrypted with KMS for this tenant and person. */
  readonly sealedToken: Uint8Array;
  /** The platform's ids of the person. */
  readonly authorizedBy: readonly string[];
  readonly expiresAt: Millis;
}

export type PageChoices = ReturnType<typeof pageChoiceStore>;

/** One choice for each person and tenant: a later login replaces it. */
export function pageChoiceStore(table: Table) {
  const { client, name: TableName } = table;
  return {
    async save(tenant: TenantId, userId: string, choice: PageChoice): Promise<void> {
      const item = {
        ...pageChoiceKey(userId, tenant),
        [A.sealedToken]: choice.sealedToken,
        [A.authorizedBy]: choice.authorizedBy,
        [A.expiresAt]: choice.expiresAt,
        [A.ttl]: timeToLive(choice.expiresAt),
      };
      await sendWrite(table, put(item));
    },

    /** Reads consistently: the browser comes right after the login. Null when there is none or it has expired. */
    async get(tenant: TenantId, userId: string, now: Millis): Promise<PageChoice | null> {
      const Key = pageChoiceKey(userId, tenant);
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      if (!Item || (Item[A.expiresAt] as Millis) <= now) return null;
      return {
        sealedToken: Item[A.sealedToken] as Uint8Array,
        authorizedBy: Item[A.authorizedBy] as string[],
        expiresAt: Item[A.expiresAt] as Millis,
      };
    },
  };
}
