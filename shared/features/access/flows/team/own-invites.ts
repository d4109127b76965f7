import { allDone } from "#base/kernel/parallel.ts";
import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { readInviters } from "../../inviters.ts";
import { addressHashes } from "../../rules/address-hash.ts";
import type { Role, SessionCaller } from "../../rules/callers.ts";
import { auditEntry, type CallerAuthor } from "../../rules/callers.ts";
import { type Invite, isInviteId, type Membership } from "../../rules/team.ts";
import type { PendingInvite } from "../../store/invite-items.ts";
import type { OwnInvitePorts } from "./ports.ts";

/** An invite that its person may accept or decline. */
export interface OwnInvite {
  readonly id: string;
  readonly tenant: TenantId;
  /** The tenant's name. */
  readonly name: string;
  readonly role: Role;
  /** `console:<userId>` or `cli` */
  readonly invitedBy: string;
  /** Of the person who invited; null for the operator. */
  readonly inviterEmail: string | null;
  /** Null for an owner whom the operator named. */
  readonly expiresAt: Millis | null;
}

/** One of the person's own invites, as a request names it. */
interface OwnInviteRequest {
  readonly inviteId: string;
  readonly author: CallerAuthor<SessionCaller>;
  readonly now: Millis;
}

/**
 * Lists the pending invites that a sign-in of the person found, those that end first, first. An invite of later does not
 * change what a session reads: the next sign-in finds it.
 */
export async function listOwnInvites(ports: OwnInvitePorts, caller: SessionCaller, now: Millis): Promise<OwnInvite[]> {
  const pendingInvites = await boundInvites(ports, caller, now);
  if (pendingInvites.length === 0) return [];
  const [tenants, invites] = await allDone([
    ports.tenants.list(pendingInvites.map(({ tenant }) => tenant)),
    ports.invites.getMany(pendingInvites),
  ]);
  const names = new Map(tenants.map(({ id, name }) => [id, name]));
  const inviterOf = await readInviters(ports, invites);
  return invites
    .flatMap(({ id, tenant, role, invitedBy, expiresAt }): OwnInvite[] => {
      const name = names.get(tenant);
      const inviterEmail = inviterOf(invitedBy);
      return name === undefined ? [] : [{ id, tenant, name, role, invitedBy, inviterEmail, expiresAt }];
    })
    .sort((a, b) => (a.expiresAt ?? Number.MAX_SAFE_INTEGER) - (b.expiresAt ?? Number.MAX_SAFE_INTEGER));
}

/**
 * Accepts an invite: the person becomes a member. Safe to repeat: one that the person has accepted returns the membership.
 * Another person's invite is refused as an unknown one, and so is one that has ended.
 */
export async function acceptOwnInvite(
  ports: OwnInvitePorts,
  { inviteId, author, now }: OwnInviteRequest,
): Promise<Membership | Refusal<"invite_not_found">> {
  const { caller } = author;
  // What has no id's form is too long for a key.
  if (!isInviteId(inviteId)) return refuse("invite_not_found");
  const invite = await findBound(ports, { inviteId, author, now });
  if (!invite) return (await acceptedMembership(ports, caller, inviteId)) ?? refuse("invite_not_found");
  const user = await ports.users.get(caller.userId);
  if (!user) throw new Error("The user of a session does not exist.");
  const { tenant, role } = invite;
  const detail = { role };
  const audit = auditEntry(author, { action: "invite.accept", resource: `invite:${inviteId}`, detail, at: now });
  const hashes = addressHashes(await ports.addressKeys(), caller.email);
  const result = await ports.invites.accept(invite, { user, addressHashes: hashes, audit });
  const isAccepted = result === "accepted" || (await ports.invites.get(tenant, inviteId))?.status === "accepted";
  const membership = isAccepted ? await ports.memberships.get(tenant, caller.userId) : null;
  return membership ?? refuse("invite_not_found");
}

/** Declines an invite: it ends, and its address may be invited again. What has ended is refused as an unknown invite. */
export async function declineOwnInvite(
  ports: OwnInvitePorts,
  { inviteId, author, now }: OwnInviteRequest,
): Promise<null | Refusal<"invite_not_found">> {
  const invite = await findBound(ports, { inviteId, author, now });
  if (!invite) return refuse("invite_not_found");
  const detail = { role: invite.role };
  // Who declines has nothing to do with the tenant: it does not learn where from.
  const entry = { action: "invite.decline", resource: `invite:${inviteId}`, detail, at: now } as const;
  const audit = auditEntry({ ...author, ip: null }, entry);
  const hashes = addressHashes(await ports.addressKeys(), author.caller.email);
  const result = await ports.invites.decline(invite, { audit, addressHashes: hashes });
  return result === "declined" ? null : refuse("invite_not_found");
}

async function boundInvites(
  { invites, addressKeys }: OwnInvitePorts,
  { userId, email }: SessionCaller,
  now: Millis,
): Promise<readonly PendingInvite[]> {
  const pendingInvites = await invites.pendingFor(addressHashes(await addressKeys(), email), now);
  return pendingInvites.filter(({ boundTo }) => boundTo === userId);
}

async function findBound(ports: OwnInvitePorts, { inviteId, author, now }: OwnInviteRequest): Promise<Invite | null> {
  const invites = await boundInvites(ports, author.caller, now);
  const pendingInvite = invites.find((invite) => invite.inviteId === inviteId);
  return pendingInvite ? ports.invites.get(pendingInvite.tenant, inviteId) : null;
}

/** The membership that an earlier request of the person for this invite made. An accepted invite is in its tenant alone. */
async function acceptedMembership(
  { invites, memberships }: OwnInvitePorts,
  caller: SessionCaller,
  inviteId: string,
): Promise<Membership | null> {
  const candidates = caller.memberships.map(({ tenant }) => ({ tenant, inviteId }));
  const accepted = (await invites.getMany(candidates)).find(
    ({ status, email }) => status === "accepted" && email === caller.email,
  );
  return accepted ? memberships.get(accepted.tenant, caller.userId) : null;
}
