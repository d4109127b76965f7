import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, type Millis, startOfDay } from "#base/kernel/time.ts";
import { type Key, t13 } from "#base/table/keys.ts";

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
