import { addressHashes } from "../../domain/access/address-hash.ts";
import { type Invite, newInviteId } from "../../domain/access/team.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { FirstOwner } from "../../stores/access/tenants.ts";
import { type Actor, actorName, auditEntry } from "./audit-entry.ts";
import type { TenantPorts } from "./ports.ts";

type Settings = Actor & {
  readonly name: string;
  /** The address of the first owner, in its normal form: it becomes a member when it signs in. */
  readonly ownerEmail: string | null;
};

/** Creates a tenant, with an invite that does not expire for its first owner. @returns false when the slug is taken */
export async function createTenant(
  ports: TenantPorts,
  tenant: TenantId,
  settings: Settings,
  now: Millis,
): Promise<boolean> {
  const { name, ownerEmail } = settings;
  return ports.tenants.create(
    { id: tenant, name, status: "active", ownerEmail, createdAt: now },
    auditEntry(settings, { action: "tenant.create", resource: `tenant:${tenant}`, detail: {}, at: now }),
    ownerEmail === null ? null : await firstOwner(ports, tenant, { ...settings, ownerEmail }, now),
  );
}

async function firstOwner(
  ports: TenantPorts,
  tenant: TenantId,
  settings: Actor & { readonly ownerEmail: string },
  now: Millis,
): Promise<FirstOwner> {
  const { ownerEmail: email } = settings;
  const invite: Invite = {
    id: newInviteId(now),
    tenant,
    email,
    role: "owner",
    status: "pending",
    invitedBy: actorName(settings),
    createdAt: now,
    expiresAt: null,
    acceptedAt: null,
  };
  const entry = {
    action: "invite.create",
    resource: `invite:${invite.id}`,
    detail: { role: "owner" },
    at: now,
  } as const;
  const hashes = addressHashes(await ports.addressKeys(), email);
  return { invite, addressHashes: hashes, audit: auditEntry(settings, entry) };
}
