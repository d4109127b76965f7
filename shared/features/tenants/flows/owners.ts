import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { addressHashes } from "#features/access/rules/address-hash.ts";
import { type Author, auditEntry, authorName } from "#features/access/rules/callers.ts";
import { type Invite, isInviteExpired, newInviteId } from "#features/access/rules/team.ts";
import type { OwnerPorts, TenantPorts } from "../ports.ts";
import type { OwnerInvite } from "../store/tenants.ts";

/** How often the change is repeated after another one of the same address. */
const ATTEMPTS_MAX = 5;

/** An owner whom the operator names. */
export interface NamedOwner {
  readonly tenant: TenantId;
  /** In its normal form. */
  readonly email: string;
  readonly author: Author;
  readonly now: Millis;
}

/**
 * - `invited`: the address becomes an owner when it signs in
 * - `already_invited`: it was named before
 * - `promoted`: it is a member, who now is an owner
 * - `already_owner`
 */
export type NamingOutcome = "invited" | "already_invited" | "promoted" | "already_owner";

/**
 * Names an owner of an existing tenant: a member of this address becomes an owner, and any other address is invited
 * without an expiry. Pending invites of owners whom the operator named before are revoked, because their addresses may be
 * mistyped. Safe to repeat: a run that was interrupted is completed by the next one.
 */
export async function nameOwner(
  ports: OwnerPorts,
  owner: NamedOwner,
): Promise<{ readonly outcome: NamingOutcome; readonly revoked: number } | Refusal<"tenant_not_found">> {
  const { tenant, email } = owner;
  if (!(await ports.tenants.get(tenant))) return refuse("tenant_not_found");
  const hashes = addressHashes(await ports.addressKeys(), email);
  let revokedCount = 0;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const memberId = await ports.users.getIdByAddress(hashes);
    const member = memberId === null ? null : await ports.memberships.get(tenant, memberId);
    const pendingInvites = (await ports.invites.list(tenant)).filter(({ status }) => status === "pending");
    const isNamed = (invite: Invite) => invite.email === email && invite.expiresAt === null;
    for (const invite of pendingInvites) {
      if (isObsolete(invite, { owner, isMember: member !== null }) && (await revoke(ports, invite, owner)))
        revokedCount++;
    }
    if (member?.role === "owner") return { outcome: "already_owner", revoked: revokedCount };
    if (member) {
      const detail = { role: "owner", previous_role: member.role };
      const change = {
        action: "member.role_change",
        resource: `user:${member.userId}`,
        detail,
        at: owner.now,
      } as const;
      const result = await ports.memberships.changeRole(member, "owner", {
        audit: auditEntry(owner.author, change),
        actor: null,
      });
      if (result === "changed") return { outcome: "promoted", revoked: revokedCount };
      continue;
    }
    if (pendingInvites.some(isNamed)) return { outcome: "already_invited", revoked: revokedCount };
    const { invite, audit } = await ownerInvite(ports, owner);
    const entry = { audit, actor: null, addressHashes: hashes, memberId, namesOwner: true } as const;
    const result = await ports.invites.create(invite, entry);
    if (result === "created") return { outcome: "invited", revoked: revokedCount };
    if (result === "tenant_not_found") return refuse("tenant_not_found");
  }
  throw new Error("The member or the invites of the address changed too often.");
}

/** An invite without an expiry, with its audit row. */
export async function ownerInvite(
  { addressKeys }: Pick<TenantPorts, "addressKeys">,
  { tenant, email, author, now }: NamedOwner,
): Promise<OwnerInvite> {
  const invite: Invite = {
    id: newInviteId(now),
    tenant,
    email,
    role: "owner",
    status: "pending",
    invitedBy: authorName(author),
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
  return { invite, addressHashes: addressHashes(await addressKeys(), email), audit: auditEntry(author, entry) };
}

/** Another address that the operator named, and an invite of this one that would keep it from being an owner. */
function isObsolete(
  invite: Invite,
  { owner: { email, now }, isMember }: { readonly owner: NamedOwner; readonly isMember: boolean },
): boolean {
  if (invite.email !== email) return invite.expiresAt === null;
  return isMember || (invite.expiresAt !== null && !isInviteExpired(invite, now));
}

async function revoke(ports: OwnerPorts, invite: Invite, { author, now }: NamedOwner): Promise<boolean> {
  const { id, role, email } = invite;
  const audit = auditEntry(author, { action: "invite.revoke", resource: `invite:${id}`, detail: { role }, at: now });
  const hashes = addressHashes(await ports.addressKeys(), email);
  return (await ports.invites.revoke(invite, { audit, actor: null, addressHashes: hashes })) === "revoked";
}
