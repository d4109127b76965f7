import { INVITE_RETENTION } from "#base/kernel/limits.ts";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type Key, timeToLive } from "#base/table/keys.ts";
import type { Role } from "../rules/callers.ts";
import type { Invite } from "../rules/team.ts";
import { inviteAttributes as A, pendingInviteAttributes as Pending } from "./attributes.ts";
import { inviteKey, pendingInviteKey } from "./items.ts";

// An invite has two rows: the tenant lists the one in its partition. The other one is found by the address when the
// person signs in, and exists only while the invite is pending: so an address has one pending invite in a tenant.

/** The keyed hashes of one address: rows are written under the first and found under each. */
export type AddressHashes = readonly [current: string, ...others: string[]];

/** An invite as its address finds it. */
export interface PendingInvite {
  readonly tenant: TenantId;
  readonly inviteId: string;
  readonly role: Role;
  /** Null for an owner whom the operator named. */
  readonly expiresAt: Millis | null;
  /** The user whom a sign-in of the address bound it to; null before. */
  readonly boundTo: string | null;
  /** The hash of the address under which it is stored. */
  readonly addressHash: string;
}

export type InviteItem = Key & {
  readonly [A.email]: string;
  readonly [A.role]: Role;
  readonly [A.status]: Invite["status"];
  readonly [A.invitedBy]: string;
  readonly [A.createdAt]: Millis;
  readonly [A.expiresAt]?: Millis;
  readonly [A.acceptedAt]?: Millis;
};

export type PendingInviteItem = Key & {
  readonly [Pending.inviteId]: string;
  readonly [Pending.role]: Role;
  readonly [Pending.expiresAt]?: Millis;
  readonly [Pending.boundTo]?: string;
};

export function newInviteItem(invite: Invite) {
  return {
    ...inviteKey(invite.tenant, invite.id),
    [A.email]: invite.email,
    [A.role]: invite.role,
    [A.status]: invite.status,
    [A.invitedBy]: invite.invitedBy,
    [A.createdAt]: invite.createdAt,
    ...inviteExpiry(invite.expiresAt),
  };
}

/** The attributes of the tenant's side that change with the expiry. */
export function inviteExpiry(expiresAt: Millis | null) {
  return {
    [A.expiresAt]: expiresAt ?? undefined,
    [A.ttl]: expiresAt === null ? undefined : timeToLive(expiresAt + INVITE_RETENTION),
  };
}

/** The row by address. A binding of an earlier invite stays in it, and names that one. */
export function pendingInviteChange({ id, role, expiresAt }: Invite) {
  return {
    [Pending.inviteId]: id,
    [Pending.role]: role,
    [Pending.expiresAt]: expiresAt ?? undefined,
    [Pending.ttl]: expiresAt === null ? undefined : timeToLive(expiresAt),
  };
}

/** An invite and the user whom it is bound to. */
export function boundTo(inviteId: string, userId: string): string {
  return `${inviteId} ${userId}`;
}

export function toInvite(tenant: TenantId, item: InviteItem): Invite {
  return {
    id: item.SK.slice(inviteKey(tenant, "").SK.length),
    tenant,
    email: item[A.email],
    role: item[A.role],
    status: item[A.status],
    invitedBy: item[A.invitedBy],
    createdAt: item[A.createdAt],
    expiresAt: item[A.expiresAt] ?? null,
    acceptedAt: item[A.acceptedAt] ?? null,
  };
}

/** None where the row's key names no tenant. */
export function toPendingInvite(item: PendingInviteItem): PendingInvite[] {
  const tenant = parseTenant(item.SK);
  if (!tenant) return [];
  const { [Pending.inviteId]: inviteId, [Pending.role]: role, [Pending.expiresAt]: expiresAt = null } = item;
  const [boundId, userId = null] = item[Pending.boundTo]?.split(" ") ?? [];
  const addressHash = item.PK.slice(pendingInviteKey("", tenant).PK.length);
  return [{ tenant, inviteId, role, expiresAt, boundTo: boundId === inviteId ? userId : null, addressHash }];
}
