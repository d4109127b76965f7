import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { newUlid } from "#base/kernel/ids.ts";
import { KEY_USE_INTERVAL, KEYS_PER_TENANT_MAX, REVOKED_KEY_RETENTION } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalTransaction, conditionalWrite } from "#base/table/conditional-write.ts";
import {
  absentOr,
  allOf,
  atMost,
  below,
  equals,
  isUnchanged,
  itemDoesNotExist,
  itemExists,
} from "#base/table/expressions.ts";
import { timeToLive } from "#base/table/keys.ts";
import { check, put, remove, update } from "#base/table/writes.ts";
import type { AuditEntry } from "../rules/audit.ts";
import type { ActingMember } from "../rules/callers.ts";
import { apiKeyAttributes as A, tenantAttributes as Tenant } from "./attributes.ts";
import {
  type ApiKey,
  type ApiKeyItem,
  actorCheck,
  apiKeyLookupKey,
  auditItem,
  boundTenant,
  type KeyLookup,
  type ListedKey,
  listedKeyRow,
  lookupAttributes,
  type NewApiKey,
  newKeyAttributes,
  readKeyList,
  tenantKey,
  toApiKey,
  toListedKey,
} from "./items.ts";
import { isDeletedTenant, isNotDeleted, isNotSuspended, isSuspended } from "./membership-items.ts";

/** An audit row, and the tenant whose log has it. */
export interface TenantAudit {
  readonly tenant: TenantId;
  readonly entry: AuditEntry;
}

/**
 * `limit`: its tenant has the maximum number of active keys. `tenant_deleted`: a tenant is being deleted, or
 * the tenant of a tenant's key does not exist.
 * `actor_changed`: the acting member has lost the roles.
 */
export type KeyCreation = "created" | "limit" | "tenant_deleted" | "actor_changed";

/** Who revokes a key, and the audit rows that are written with it. */
interface KeyRevocation {
  readonly audits: readonly TenantAudit[];
  readonly actor?: ActingMember;
  readonly now: Millis;
}

/**
 * `not_found`: the key was removed, or its tenant is being deleted. `actor_changed`: the acting member has lost the
 * roles.
 */
type KeyRevocationResult = "revoked" | "already_revoked" | "not_found" | "actor_changed";

/** How often a write is repeated with what another write changed: a tenant's status, or a key's lookup row. */
const ATTEMPTS_MAX = 5;

const hasRoom = absentOr(below, Tenant.activeKeys, KEYS_PER_TENANT_MAX);
const isActive = equals(A.status, "active" satisfies ApiKey["status"]);

export type ApiKeys = ReturnType<typeof apiKeyStore>;

export function apiKeyStore(table: Table) {
  const { client, name: TableName } = table;

  /** A key of a tenant, or an operator key for null, by its id. Read consistently. */
  async function getListed(owner: TenantId | null, keyId: string): Promise<ListedKey | null> {
    const { Item } = await client.send(
      new GetCommand({ TableName, Key: listedKeyRow(owner, keyId), ConsistentRead: true }),
    );
    return Item ? toListedKey(Item as ApiKeyItem) : null;
  }

  return {
    /**
     * Creates a key, its row in the list and an audit row for each of its tenants, in one transaction. A tenant's key is
     * counted on the tenant's row. The key learns which of its tenants are suspended: the transaction fails if it is
     * wrong about one, and is then repeated.
     * @param actor the member who creates a tenant's key
     */
    async create(
      key: NewApiKey,
      newLookup: KeyLookup,
      audits: readonly TenantAudit[],
      actor: ActingMember = null,
    ): Promise<KeyCreation> {
      const attributes = newKeyAttributes(key);
      const owner = boundTenant(key);
      const rest = [
        put({ ...listedKeyRow(owner, key.id), ...attributes, ...lookupAttributes(newLookup) }),
        ...audits.map(({ tenant, entry }) => put(auditItem(tenant, entry))),
        ...(owner === null ? [] : actorCheck(owner, actor)),
      ];
      let suspendedTenants: readonly TenantId[] = [];
      for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
        const suspension = suspendedTenants.length > 0 ? { [A.suspendedTenants]: new Set(suspendedTenants) } : {};
        const tenantItems = key.tenants.map((slug) => {
          const hasThatStatus = suspendedTenants.includes(slug) ? isSuspended : isNotSuspended;
          return owner === null
            ? check(tenantKey(slug), hasThatStatus)
            : update(tenantKey(slug), { add: { [Tenant.activeKeys]: 1 } }, allOf(itemExists, hasThatStatus, hasRoom));
        });
        const lookup = put({ ...apiKeyLookupKey(newLookup.hash), ...attributes, ...suspension }, itemDoesNotExist);
        // Each attempt has its own token: DynamoDB refuses one with other contents.
        const result = await conditionalTransaction(table, [lookup, ...tenantItems, ...rest], {
          token: `${key.id}.${attempt}`,
        });
        if (result.applied) return "created";
        const [lookupRow, ...others] = result.current;
        const tenantRows = others.slice(0, key.tenants.length);
        if (lookupRow) throw new Error("The API key exists already.");
        if (tenantRows.some((row) => row && isDeletedTenant(row))) return "tenant_deleted";
        // Of the rest only the acting member has a condition.
        if (others.slice(key.tenants.length).some((row) => row !== undefined)) return "actor_changed";
        const isSuspendedNow = (slug: TenantId, index: number) => {
          const row = tenantRows[index];
          return row === undefined ? suspendedTenants.includes(slug) : row?.[Tenant.status] === "suspended";
        };
        // A count must not create a row.
        if (owner !== null && tenantRows[0] === null) return "tenant_deleted";
        const suspendedNow = key.tenants.filter(isSuspendedNow);
        // The statuses were right, so the count was not.
        if (suspendedNow.join() === suspendedTenants.join()) return "limit";
        suspendedTenants = suspendedNow;
      }
      throw new Error("A tenant of the API key was suspended or resumed too often.");
    },

    /** The key of a hash, read consistently, so that a revocation takes effect at once. */
    async getByHash(keyHash: string): Promise<ApiKey | null> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: apiKeyLookupKey(keyHash), ConsistentRead: true }),
      );
      return Item ? toApiKey(Item as ApiKeyItem) : null;
    },

    /** The keys of a tenant, or the operator keys for null, oldest first, also revoked ones. Read consistently. */
    list(owner: TenantId | null): Promise<readonly ListedKey[]> {
      return readKeyList(table, owner);
    },

    getListed,

    /**
     * Revokes a key: both of its rows, the count of its tenant and the audit rows, in one transaction. The rows expire
     * together.
     * @param by `actor`: the member who revokes a tenant's key
     */
    async revoke(key: ListedKey, { audits, actor = null, now }: KeyRevocation): Promise<KeyRevocationResult> {
      const owner = boundTenant(key);
      const set = {
        [A.status]: "revoked" satisfies ApiKey["status"],
        [A.revokedAt]: now,
        [A.ttl]: timeToLive(now + REVOKED_KEY_RETENTION),
      };
      const auditItems = audits.map(({ tenant, entry }) => put(auditItem(tenant, entry)));
      const countChange = { add: { [Tenant.activeKeys]: -1 } };
      const tenantItems =
        owner === null ? [] : [update(tenantKey(owner), countChange, allOf(itemExists, isNotDeleted))];
      const actorItems = owner === null ? [] : actorCheck(owner, actor);
      let { hash } = key;
      for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
        const op = newUlid(now);
        const result = await conditionalTransaction(
          table,
          [
            update(listedKeyRow(owner, key.id), { set: { ...set, [A.op]: op } }, isActive),
            update(apiKeyLookupKey(hash), { set }, itemExists),
            ...tenantItems,
            ...auditItems,
            ...actorItems,
          ],
          { token: op, ownMark: { [A.op]: op } },
        );
        if (result.applied) return "revoked";
        const [listRow, , tenantRow] = result.current;
        // The deletion of its tenant removes the key.
        if (listRow === null || (owner !== null && tenantRow !== undefined)) return "not_found";
        if (listRow !== undefined) return "already_revoked";
        if (actorItems.length > 0 && result.current.at(-1) !== undefined) return "actor_changed";
        // A request of the key moved its lookup row.
        const storedKey = await getListed(owner, key.id);
        if (!storedKey) return "not_found";
        if (storedKey.hash === hash) throw new Error("The API key has no lookup row.");
        hash = storedKey.hash;
      }
      throw new Error("The lookup row of the API key was moved too often.");
    },

    /**
     * Moves a key's lookup row from the hash under an older pepper to that under the current one. The row is as it was
     * read, or nothing is moved: a revocation, a suspension and another request of the key write it too. Attributes that
     * this release does not know move with it.
     * @param key as it was read under `from`
     * @returns false when the row has changed
     */
    async moveLookup(key: ApiKey, from: string, to: KeyLookup): Promise<boolean> {
      const { tenants, suspendedTenants, lastUsedAt } = key;
      const suspendedSlugs = suspendedTenants.length > 0 ? new Set<string>(suspendedTenants) : undefined;
      const keyAttributes = {
        ...newKeyAttributes(key),
        [A.suspendedTenants]: suspendedSlugs,
        [A.lastUsedAt]: lastUsedAt ?? undefined,
      };
      const isAsRead = allOf(
        isActive,
        // An operator key loses a tenant that is deleted.
        equals(A.tenants, tenants),
        isUnchanged(A.suspendedTenants, suspendedSlugs),
        isUnchanged(A.lastUsedAt, lastUsedAt ?? undefined),
      );
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: apiKeyLookupKey(from), ConsistentRead: true }),
      );
      if (!Item) return false;
      const result = await conditionalTransaction(table, [
        remove(apiKeyLookupKey(from), isAsRead),
        put({ ...Item, ...keyAttributes, ...apiKeyLookupKey(to.hash) }, itemDoesNotExist),
        update(listedKeyRow(boundTenant(key), key.id), { set: lookupAttributes(to) }, equals(A.hash, from)),
      ]);
      return result.applied;
    },

    /**
     * Records that a key is in use, at most once in an hour. The lookup row decides who records it, and a list that is
     * not written after it learns the next use.
     */
    async recordUse(key: Pick<ApiKey, "id" | "kind" | "tenants">, keyHash: string, now: Millis): Promise<void> {
      const use = { [A.lastUsedAt]: now };
      const isDue = allOf(isActive, absentOr(atMost, A.lastUsedAt, now - KEY_USE_INTERVAL));
      const lookup = update(apiKeyLookupKey(keyHash), { set: use }, isDue);
      const result = await conditionalWrite(table, lookup, { ownMark: use });
      if (result.applied) {
        await conditionalWrite(table, update(listedKeyRow(boundTenant(key), key.id), { set: use }, itemExists));
      }
    },
  };
}
