import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { AuditEntry } from "../../domain/access/audit.ts";
import type { Scope } from "../../domain/inbox/messages.ts";
import { REQUESTS_PER_KEY_PER_MINUTE } from "../../domain/limits.ts";
import { parseTenant, type TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { apiKeyAttributes as A } from "../attributes.ts";
import type { Table } from "../client.ts";
import { conditionalTransaction } from "../conditional-write.ts";
import { itemDoesNotExist } from "../expressions.ts";
import { apiKeyItemKey, apiKeyLookupKey, operatorKeyItemKey, rateLimitKey } from "../keys.ts";
import { consumeFromMinute, type QuotaUse } from "../minute-quota.ts";
import { put } from "../writes.ts";
import { auditItem } from "./audit.ts";

/** A key. The secret is not stored: the lookup row's key is the secret's peppered hash. */
export interface ApiKey {
  readonly id: string;
  readonly prefix: string;
  readonly scope: Scope;
  readonly label: string;
  /** One tenant for a tenant key, several for an operator key. */
  readonly tenants: readonly TenantId[];
  readonly kind: "tenant" | "operator";
  readonly status: "active" | "revoked";
  readonly createdAt: Millis;
}

export type ApiKeys = ReturnType<typeof apiKeyStore>;

export function apiKeyStore(table: Table) {
  const { client, name: TableName } = table;
  return {
    /** Creates a key, its row in the list and an audit row for each of its tenants, in one transaction. */
    async create(
      key: ApiKey,
      keyHash: string,
      audits: readonly { tenant: TenantId; entry: AuditEntry }[],
    ): Promise<void> {
      const attributes = {
        [A.id]: key.id,
        [A.prefix]: key.prefix,
        [A.scope]: key.scope,
        [A.label]: key.label,
        [A.tenants]: key.tenants,
        [A.kind]: key.kind,
        [A.status]: key.status,
        [A.createdAt]: key.createdAt,
      };
      const [tenant] = key.tenants;
      const listKey = key.kind === "operator" || !tenant ? operatorKeyItemKey(key.id) : apiKeyItemKey(tenant, key.id);
      const result = await conditionalTransaction(
        table,
        [
          put({ ...apiKeyLookupKey(keyHash), ...attributes }, itemDoesNotExist),
          put({ ...listKey, ...attributes, [A.hash]: keyHash }),
          ...audits.map(({ tenant: auditedTenant, entry }) => put(auditItem(auditedTenant, entry))),
        ],
        { token: key.id },
      );
      if (!result.applied) throw new Error("The API key exists already.");
    },

    /** The key of a hash, read consistently, so that a revocation takes effect at once. */
    async getByHash(keyHash: string): Promise<ApiKey | null> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: apiKeyLookupKey(keyHash), ConsistentRead: true }),
      );
      if (!Item) return null;
      return {
        id: Item[A.id],
        prefix: Item[A.prefix],
        scope: Item[A.scope],
        label: Item[A.label],
        tenants: (Item[A.tenants] as string[]).flatMap((slug) => parseTenant(slug) ?? []),
        kind: Item[A.kind],
        status: Item[A.status],
        createdAt: Item[A.createdAt],
      };
    },

    /** Counts one request in the key's current minute. */
    consumeRequest(keyId: string, now: Millis): Promise<QuotaUse> {
      return consumeFromMinute(table, rateLimitKey(keyId, now), REQUESTS_PER_KEY_PER_MINUTE, now);
    },
  };
}
