import type { Millis } from "#base/kernel/time.ts";
import { claimInvites } from "#features/access/flows/team/claim-invites.ts";
import { addressHashes } from "#features/access/rules/address-hash.ts";
import type { AuditEntry } from "#features/access/rules/audit.ts";
import { newInviteId, newUserId, type User } from "#features/access/rules/team.ts";
import type { ProcessPorts } from "../cloud/ports.ts";
import { TENANT } from "./people.ts";

/** The people who sign in: an owner of the tenant, and an agent who is removed and invited again. */
export const memberNames = ["owner", "agent"] as const;
export type MemberName = (typeof memberNames)[number];

export const emailOf = (member: MemberName) => `${member}@example.com`;

type AdminPorts = ReturnType<ProcessPorts["operator"]>["admin"];

/** Invites both and accepts their invites. @returns the id of each user */
export async function createMembers(admin: AdminPorts, now: Millis): Promise<Readonly<Record<MemberName, string>>> {
  return { owner: await createMember(admin, "owner", now), agent: await createMember(admin, "agent", now) };
}

async function createMember(admin: AdminPorts, role: MemberName, now: Millis): Promise<string> {
  const email = emailOf(role);
  const hashes = addressHashes(await admin.addressKeys(), email);
  const id = newInviteId(now);
  const audit: AuditEntry = { action: "invite.create", resource: id, actor: "cli", ip: null, detail: {}, at: now };
  await admin.invites.create(
    {
      id,
      tenant: TENANT,
      email,
      role,
      status: "pending",
      invitedBy: "cli",
      createdAt: now,
      expiresAt: null,
      acceptedAt: null,
    },
    { audit, actor: null, memberId: null, addressHashes: hashes },
  );
  const newUser = { addressHashes: hashes, email, newUserId: newUserId(now), now };
  const user: User = await admin.users.recordSignIn(newUser);
  const author = { actor: `console:${user.id}`, ip: null };
  await claimInvites(admin, { user, addressHashes: hashes, inviteId: null, author, now });
  return user.id;
}
