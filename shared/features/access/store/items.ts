import { newUlid } from "#base/kernel/ids.ts";
import { AUDIT_RETENTION } from "#base/kernel/limits.ts";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, type Millis, startOfDay } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { isOneOf } from "#base/table/expressions.ts";
import { type Key, t13, timeToLive } from "#base/table/keys.ts";
import { queryAll } from "#base/table/query-all.ts";
import { check, type TransactItem } from "#base/table/writes.ts";
import type { AuditEntry } from "../rules/audit.ts";
import type { ActingMember } from "../rules/callers.ts";
import type { Scope } from "../rules/scope.ts";
import { apiKeyAttributes, auditAttributes, membershipAttributes } from "./attributes.ts";

export function tenantKey(tenant: TenantId): Key {
  return { PK: `T#${tenant}`, SK: "TENANT" };
}

export function apiKeyLookupKey(keyHash: string): Key {
  return { PK: `K#${keyHash}`, SK: "K" };
}

export function apiKeyItemKey(tenant: TenantId, keyId: string): Key {
  return { PK: `T#${tenant}`, SK: `KEY#${keyId}` };
}

export function operatorKeyItemKey(keyId: string): Key {
  return { PK: "OPERATORS", SK: `KEY#${keyId}` };
}

/** The user's partition: one query reads the user and their memberships. @param userId `usr_<ULID>` */
export function userKey(userId: string): Key {
  return { PK: `USR#${userId}`, SK: "P" };
}

/** From an email address to its user. @param addressHash a keyed hash of the address */
export function userAddressKey(addressHash: string): Key {
  return { PK: `EML#${addressHash}`, SK: "U" };
}

/** The start of the sort key of a membership, on both of its sides. */
export const MEMBERSHIP = "MEM#";

/** The side of a membership that the user's requests read. */
export function userMembershipKey(userId: string, tenant: TenantId): Key {
  return { PK: userKey(userId).PK, SK: `${MEMBERSHIP}${tenant}` };
}

/** The side of a membership that the tenant lists. */
export function membershipKey(tenant: TenantId, userId: string): Key {
  return { PK: `T#${tenant}`, SK: `${MEMBERSHIP}${userId}` };
}

/** @param inviteId `inv_<ULID>` */
export function inviteKey(tenant: TenantId, inviteId: string): Key {
  return { PK: `T#${tenant}`, SK: `INV#${inviteId}` };
}

/** The pending invite of an address in a tenant. @param addressHash a keyed hash of the address */
export function pendingInviteKey(addressHash: string, tenant: TenantId | ""): Key {
  return { PK: `INV#${addressHash}`, SK: tenant };
}

/** The ids of a tenant's pending invites, for their number. */
export function pendingInvitesKey(tenant: TenantId): Key {
  return { PK: `T#${tenant}`, SK: "INVITES" };
}

/** The mails of a tenant's invites in a day of UTC. */
export function tenantInviteMailsKey(tenant: TenantId, now: Millis): Key {
  return { PK: `T#${tenant}`, SK: `MAILS#${t13(startOfDay(now))}` };
}

/** The mails of the invites that a person sent in a day of UTC, in all tenants. */
export function personInviteMailsKey(userId: string, now: Millis): Key {
  return { PK: `IM#${userId}`, SK: t13(startOfDay(now)) };
}

export function rateLimitKey(callerId: string, now: Millis): Key {
  return { PK: `RL#${callerId}`, SK: String(Math.floor(now / MINUTE)) };
}

/** The requests of a tenant's keys and members in a minute. */
export function tenantRequestsKey(tenant: TenantId, now: Millis): Key {
  return { PK: `RQ#${tenant}`, SK: String(Math.floor(now / MINUTE)) };
}

/** A sign-in link. @param loginId the hash of its token */
export function loginTokenKey(loginId: string): Key {
  return { PK: `TOK#${loginId}`, SK: "T" };
}

/** The sign-in requests of a window. @param subjectHash a keyed hash of the email address or the source network */
export function signInCapKey(kind: "address" | "source", subjectHash: string, windowStart: Millis): Key {
  return { PK: `CAP#${kind}#${subjectHash}`, SK: t13(windowStart) };
}

export function auditKey(tenant: TenantId, auditUlid: string): Key {
  return { PK: `A#${tenant}`, SK: auditUlid };
}

// A key has two rows with the same attributes: the lookup row, which authenticates it, and its row in a list.

/** A key. The secret is not stored: the lookup row's key is the secret's peppered hash. */
export interface ApiKey {
  readonly id: string;
  readonly prefix: string;
  readonly scope: Scope;
  /** Its requests are refused for what their route would ignore. Absent while they are not. */
  readonly isStrict?: true;
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
  readonly [apiKeyAttributes.id]: string;
  readonly [apiKeyAttributes.prefix]: string;
  readonly [apiKeyAttributes.scope]: Scope;
  readonly [apiKeyAttributes.isStrict]?: true;
  readonly [apiKeyAttributes.label]: string;
  readonly [apiKeyAttributes.tenants]: Iterable<string>;
  readonly [apiKeyAttributes.suspendedTenants]?: Iterable<string>;
  readonly [apiKeyAttributes.kind]: ApiKey["kind"];
  readonly [apiKeyAttributes.status]: ApiKey["status"];
  readonly [apiKeyAttributes.createdAt]: Millis;
  readonly [apiKeyAttributes.lastUsedAt]?: Millis;
  readonly [apiKeyAttributes.revokedAt]?: Millis;
};

/** The attributes of a list row that name the lookup row. */
export function lookupAttributes({ hash, kid }: KeyLookup) {
  return { [apiKeyAttributes.hash]: hash, [apiKeyAttributes.pepperKid]: kid };
}

/** The attributes of both rows of a new key. */
export function newKeyAttributes(key: NewApiKey) {
  return {
    [apiKeyAttributes.id]: key.id,
    [apiKeyAttributes.prefix]: key.prefix,
    [apiKeyAttributes.scope]: key.scope,
    [apiKeyAttributes.isStrict]: key.isStrict,
    [apiKeyAttributes.label]: key.label,
    [apiKeyAttributes.tenants]: key.tenants,
    [apiKeyAttributes.kind]: key.kind,
    [apiKeyAttributes.status]: "active" satisfies ApiKey["status"],
    [apiKeyAttributes.createdAt]: key.createdAt,
  };
}

export function toApiKey(item: ApiKeyItem): ApiKey {
  return {
    id: item[apiKeyAttributes.id],
    prefix: item[apiKeyAttributes.prefix],
    scope: item[apiKeyAttributes.scope],
    ...(item[apiKeyAttributes.isStrict] ? { isStrict: true } : {}),
    label: item[apiKeyAttributes.label],
    tenants: parseSlugs(item[apiKeyAttributes.tenants]),
    suspendedTenants: parseSlugs(item[apiKeyAttributes.suspendedTenants]),
    kind: item[apiKeyAttributes.kind],
    status: item[apiKeyAttributes.status],
    createdAt: item[apiKeyAttributes.createdAt],
    lastUsedAt: item[apiKeyAttributes.lastUsedAt] ?? null,
    revokedAt: item[apiKeyAttributes.revokedAt] ?? null,
  };
}

export function toListedKey(item: ApiKeyItem): ListedKey {
  return {
    ...toApiKey(item),
    hash: item[apiKeyAttributes.hash] as string,
    pepperKid: (item[apiKeyAttributes.pepperKid] as string | undefined) ?? null,
  };
}

/** The tenant that a key is bound to; null for an operator key. */
export function boundTenant({ kind, tenants: [tenant] }: Pick<ApiKey, "kind" | "tenants">): TenantId | null {
  return kind === "operator" ? null : (tenant ?? null);
}

/** The key of a row in the list of a tenant, or in that of the operator keys for null. */
export function listedKeyRow(owner: TenantId | null, keyId: string): Key {
  return owner === null ? operatorKeyItemKey(keyId) : apiKeyItemKey(owner, keyId);
}

function parseSlugs(slugs: Iterable<string> = []): TenantId[] {
  return [...slugs].flatMap((slug) => parseTenant(slug) ?? []);
}

/** The row of an entry, to be written in the transaction of the action it records. */
export function auditItem(tenant: TenantId, entry: AuditEntry) {
  return {
    ...auditKey(tenant, newUlid(entry.at)),
    [auditAttributes.action]: entry.action,
    [auditAttributes.resource]: entry.resource,
    [auditAttributes.actor]: entry.actor,
    [auditAttributes.ip]: entry.ip ?? undefined,
    [auditAttributes.detail]: entry.detail,
    [auditAttributes.ttl]: timeToLive(entry.at + AUDIT_RETENTION),
  };
}

/** The keys of a tenant, or the operator keys for null, oldest first, also revoked ones. Read consistently. */
export async function readKeyList(table: Table, owner: TenantId | null): Promise<readonly ListedKey[]> {
  return (await queryAll<ApiKeyItem>(table, listedKeyRow(owner, ""))).map(toListedKey);
}

/**
 * A condition on the acting member, so that a request that was authorized before a removal or a change of role does not
 * act after it. None where the transaction changes that member's own row: its condition is on the role.
 */
export function actorCheck(tenant: TenantId, actor: ActingMember, changedUserId?: string): TransactItem[] {
  if (!actor || actor.userId === changedUserId) return [];
  return [check(membershipKey(tenant, actor.userId), isOneOf(membershipAttributes.role, actor.roles))];
}
