import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Key } from "#base/table/keys.ts";
import type { Scope } from "#features/inbox/rules/messages.ts";
import { apiKeyAttributes as A } from "./attributes.ts";
import { apiKeyItemKey, operatorKeyItemKey } from "./keys.ts";

// A key has two rows with the same attributes: the lookup row, which authenticates it, and its row in a list.

/** A key. The secret is not stored: the lookup row's key is the secret's peppered hash. */
export interface ApiKey {
  readonly id: string;
  readonly prefix: string;
  readonly scope: Scope;
  readonly label: string;
  /** One tenant for a tenant key, several for an operator key. */
  readonly tenants: readonly TenantId[];
  /** Those of its tenants that are suspended. Only the lookup row knows them. */
  readonly suspendedTenants: readonly TenantId[];
  readonly kind: "tenant" | "operator";
  readonly status: "active" | "revoked";
  readonly createdAt: Millis;
  /** Up to an hour too early; null before its first use. */
  readonly lastUsedAt: Millis | null;
  /** Null while it is active. */
  readonly revokedAt: Millis | null;
}

/** The key of a lookup row: a hash, and the pepper that made it. */
export interface KeyLookup {
  readonly hash: string;
  readonly kid: string;
}

/** A key as its list has it. */
export interface ListedKey extends ApiKey {
  /** The hash in the key of its lookup row. */
  readonly hash: string;
  /** The `kid` of the hash's pepper; null for a key from before the peppers had one. */
  readonly pepperKid: string | null;
}

/** What a key has from its creation on. */
export type NewApiKey = Omit<ApiKey, "suspendedTenants" | "status" | "lastUsedAt" | "revokedAt">;

export type ApiKeyItem = Readonly<Record<string, unknown>> & {
  readonly [A.id]: string;
  readonly [A.prefix]: string;
  readonly [A.scope]: Scope;
  readonly [A.label]: string;
  readonly [A.tenants]: Iterable<string>;
  readonly [A.suspendedTenants]?: Iterable<string>;
  readonly [A.kind]: ApiKey["kind"];
  readonly [A.status]: ApiKey["status"];
  readonly [A.createdAt]: Millis;
  readonly [A.lastUsedAt]?: Millis;
  readonly [A.revokedAt]?: Millis;
};

/** The attributes of a list row that name the lookup row. */
export function lookupAttributes({ hash, kid }: KeyLookup) {
  return { [A.hash]: hash, [A.pepperKid]: kid };
}

/** The attributes of both rows of a new key. */
export function newKeyAttributes(key: NewApiKey) {
  return {
    [A.id]: key.id,
    [A.prefix]: key.prefix,
    [A.scope]: key.scope,
    [A.label]: key.label,
    [A.tenants]: key.tenants,
    [A.kind]: key.kind,
    [A.status]: "active" satisfies ApiKey["status"],
    [A.createdAt]: key.createdAt,
  };
}

export function toApiKey(item: ApiKeyItem): ApiKey {
  return {
    id: item[A.id],
    prefix: item[A.prefix],
    scope: item[A.scope],
    label: item[A.label],
    tenants: parseSlugs(item[A.tenants]),
    suspendedTenants: parseSlugs(item[A.suspendedTenants]),
    kind: item[A.kind],
    status: item[A.status],
    createdAt: item[A.createdAt],
    lastUsedAt: item[A.lastUsedAt] ?? null,
    revokedAt: item[A.revokedAt] ?? null,
  };
}

export function toListedKey(item: ApiKeyItem): ListedKey {
  return {
    ...toApiKey(item),
    hash: item[A.hash] as string,
    pepperKid: (item[A.pepperKid] as string | undefined) ?? null,
  };
}

/** The tenant that a key is bound to; null for an operator key. */
export function boundTenant({ kind, tenants: [tenant] }: Pick<ApiKey, "kind" | "tenants">): TenantId | null {
  return kind === "operator" ? null : (tenant ?? null);
}

/** The key of a row in the list of a tenant, or in that of the operator keys for null. */
export function listKey(owner: TenantId | null, keyId: string): Key {
  return owner === null ? operatorKeyItemKey(keyId) : apiKeyItemKey(owner, keyId);
}

function parseSlugs(slugs: Iterable<string> = []): TenantId[] {
  return [...slugs].flatMap((slug) => parseTenant(slug) ?? []);
}
