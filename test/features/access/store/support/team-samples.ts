import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import type { AuditEntry } from "#features/access/rules/audit.ts";
import type { Role } from "#features/access/rules/callers.ts";
import { type Invite, newInviteId, newUserId, type User } from "#features/access/rules/team.ts";
import type { AddressHashes } from "#features/access/store/invite-items.ts";
import { inviteStore } from "#features/access/store/invites.ts";
import { userStore } from "#features/access/store/users.ts";
import { tenantStore } from "#features/tenants/store/tenants.ts";
import { NOW, newTenant } from "../../../../support/stores/samples.ts";

export function auditOf(action: AuditEntry["action"], at = NOW): AuditEntry {
  return { action, resource: "-", actor: "cli", ip: null, detail: {}, at };
}

/** The hash of an address, as the stores get it. */
export function hashesOf(email: string): AddressHashes {
  return [`hash of ${email}`];
}

let people = 0;

/** An address that no other test of this process has. */
export function newEmail(): string {
  return `person-${++people}@example.com`;
}

export async function createTenant(table: Table, id = newTenant()): Promise<TenantId> {
  const tenant = { id, name: "Shop", status: "active", ownerEmail: null, createdAt: NOW } as const;
  await tenantStore(table).create(tenant, auditOf("tenant.create"));
  return id;
}

export function signIn(table: Table, email = newEmail()): Promise<User> {
  return userStore(table).recordSignIn({
    addressHashes: hashesOf(email),
    email,
    newUserId: newUserId(NOW),
    now: NOW,
  });
}

export function sampleInvite(tenant: TenantId, rest: Partial<Invite> = {}): Invite {
  return {
    id: newInviteId(NOW),
    tenant,
    email: newEmail(),
    role: "agent",
    status: "pending",
    invitedBy: "cli",
    createdAt: NOW,
    expiresAt: NOW + 7 * DAY,
    acceptedAt: null,
    ...rest,
  };
}

/** Invites a person as the command line does. @returns what the store answers */
export function createInvite(table: Table, invite: Invite, memberId: string | null = null) {
  const audit = auditOf("invite.create", invite.createdAt);
  return inviteStore(table).create(invite, { audit, actor: null, memberId, addressHashes: hashesOf(invite.email) });
}

/** A user who has accepted an invite. */
export async function createMember(table: Table, tenant: TenantId, role: Role): Promise<User> {
  const user = await signIn(table);
  const invite = sampleInvite(tenant, { email: user.email, role });
  await createInvite(table, invite);
  const audit = auditOf("invite.accept");
  await inviteStore(table).accept(invite, { user, addressHashes: hashesOf(user.email), audit });
  return user;
}
