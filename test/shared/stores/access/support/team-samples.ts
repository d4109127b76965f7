import type { AuditEntry } from "../../../../../shared/domain/access/audit.ts";
import type { Role } from "../../../../../shared/domain/access/roles.ts";
import { type Invite, newInviteId, newUserId, type User } from "../../../../../shared/domain/access/team.ts";
import type { TenantId } from "../../../../../shared/kernel/tenant.ts";
import { DAY } from "../../../../../shared/kernel/time.ts";
import type { AddressHashes } from "../../../../../shared/stores/access/invite-items.ts";
import { inviteStore } from "../../../../../shared/stores/access/invites.ts";
import { tenantStore } from "../../../../../shared/stores/access/tenants.ts";
import { userStore } from "../../../../../shared/stores/access/users.ts";
import type { Table } from "../../../../../shared/stores/client.ts";
import { NOW, newTenant } from "../../support/samples.ts";

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

export async function createTenant(table: Table): Promise<TenantId> {
  const id = newTenant();
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
