import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { AuditEntry } from "../../domain/access/audit.ts";
import type { Scope } from "../../domain/inbox/messages.ts";
import { REQUESTS_PER_KEY_PER_MINUTE } from "../../domain/limits.ts";
import { parseTenant, type TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { apiKeyAttributes as A, tenantAttributes as Tenant } from "../attributes.ts";
import type { Table } from "../client.ts";
import { conditionalTransaction } from "../conditional-write.ts";
import { absentOr, differs, equals, itemDoesNotExist } from "../expressions.ts";
import { apiKeyItemKey, apiKeyLookupKey, operatorKeyItemKey, rateLimitKey, tenantKey } from "../keys.ts";
import { consumeFromMinute, type QuotaUse } from "../minute-quota.ts";
import { check, put } from "../writes.ts";
import { auditItem } from "./audit.ts";

/** A key. The secret is not stored: the lookup row's key is the secret's peppered hash. */
export interface ApiKey {
  readonly id: string;
  readonly prefix: string;
  readonly scope: Scope;
  readonly label: string;
  /** One tenant for a tenant key, several for an operator key. */
  readonly tenants: readonly TenantId[];
  /** Those of its tenants that are suspended. */
  readonly suspendedTenants: readonly TenantId[];
  readonly kind: "tenant" | "operator";
  readonly status: "active" | "revoked";
  readonly createdAt: Millis;
}

/** How often a key is created while its tenants are suspended or resumed at the same time. */
const CREATE_ATTEMPTS_MAX = 5;

const isSuspended = equals(Tenant.status, "suspended");
const isNotSuspended = absentOr(differs, Tenant.status, "suspended");

export type ApiKeys = ReturnType<typeof apiKeyStore>;

export function apiKeyStore(table: Table) {
  const { client, name: TableName } = table;
  return {
    /**
     * Creates a key, its row in the list and an audit row for each of its tenants, in one transaction. The key learns
     * which of its tenants are suspended: the transaction fails if it is wrong about one, and is then repeated.
     */
    async create(
      key: Omit<ApiKey, "suspendedTenants">,
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
      const rest = [
        put({ ...listKey, ...attributes, [A.hash]: keyHash }),
        ...audits.map(({ tenant: auditedTenant, entry }) => put(auditItem(auditedTenant, entry))),
      ];
      let suspendedTenants: readonly TenantId[] = [];
      for (let attempt = 1; attempt <= CREATE_ATTEMPTS_MAX; attempt++) {
        const suspended = suspendedTenants.length > 0 ? { [A.suspendedTenants]: new Set(suspendedTenants) } : {};
        const checks = key.tenants.map((slug) =>
          check(tenantKey(slug), suspendedTenants.includes(slug) ? isSuspended : isNotSuspended),
        );
        const lookup = put({ ...apiKeyLookupKey(keyHash), ...attributes, ...suspended }, itemDoesNotExist);
        // Each attempt has its own token: DynamoDB refuses one with other contents.
        const result = await conditionalTransaction(table, [lookup, ...checks, ...rest], {
          token: `${key.id}.${attempt}`,
        });
        if (result.applied) return;
        const [lookupRow, ...tenantRows] = result.current;
        if (lookupRow) throw new Error("The API key exists already.");
        suspendedTenants = key.tenants.filter(
          (slug, index) => suspendedTenants.includes(slug) !== (tenantRows[index] !== undefined),
        );
      }
      throw new Error("A tenant of the API key was suspended or resumed too often.");
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
        tenants: parseSlugs(Item[A.tenants]),
        suspendedTenants: parseSlugs(Item[A.suspendedTenants]),
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

function parseSlugs(slugs: Iterable<string> = []): TenantId[] {
  return [...slugs].flatMap((slug) => parseTenant(slug) ?? []);
}
