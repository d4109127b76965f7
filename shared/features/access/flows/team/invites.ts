import { INVITE_LIFE, INVITE_RETENTION } from "#base/kernel/limits.ts";
import { isRefusal, type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { type Millis, secondsToNextDay } from "#base/kernel/time.ts";
import { encodeMail } from "../../queue.ts";
import { addressHashAt, addressHashes } from "../../rules/address-hash.ts";
import {
  type AuditedChange,
  authorName,
  type CallerAuthor,
  changeAuthor,
  type Role,
  refuseRole,
  type SessionCaller,
} from "../../rules/callers.ts";
import { signInWindow } from "../../rules/sign-in-window.ts";
import { type Invite, isInviteId, newInviteId } from "../../rules/team.ts";
import type { ExceededInviteLimit, InviteCount } from "../../store/invite-counts.ts";
import type { AddressHashes } from "../../store/invite-items.ts";
import type { InvitePorts } from "./ports.ts";

/** One invite, as a request names it. */
interface InviteRequest {
  readonly tenant: TenantId;
  readonly inviteId: string;
  readonly author: CallerAuthor<SessionCaller>;
  readonly now: Millis;
}

/** Lists the invites of a tenant, oldest first. One that has ended is listed for 90 days. */
export async function listInvites(ports: InvitePorts, tenant: TenantId, now: Millis): Promise<Invite[]> {
  return (await ports.invites.list(tenant)).filter((invite) => isListed(invite, now));
}

/**
 * Invites an address to a tenant and queues the mail, which counts in the address's cap, unless it is refused. Only an owner invites an owner.
 * If the request fails after the invite was stored, the invite can be sent again.
 * @param request `email`: in its normal form
 */
export async function createInvite(
  ports: InvitePorts,
  request: Omit<InviteRequest, "inviteId"> & { readonly email: string; readonly role: Role },
): Promise<Invite | Refusal<MailRefusal | "role_forbidden" | "tenant_not_found">> {
  const { tenant, email, role, author, now } = request;
  const least = leastRole(role);
  const roleRefusal = refuseRole(author.caller, tenant, least);
  if (roleRefusal) return roleRefusal;
  const invite: Invite = {
    id: newInviteId(now),
    tenant,
    email,
    role,
    status: "pending",
    invitedBy: authorName(author),
    createdAt: now,
    expiresAt: now + INVITE_LIFE,
    acceptedAt: null,
  };
  const address = await readAddress(ports, email);
  const count = { userId: author.caller.userId, limits: ports.inviteLimits };
  const refusal = await refuseMail(ports, invite, { ...address, count, now });
  if (refusal) return refusal;
  const change = inviteChange(invite, { action: "invite.create", detail: { role }, at: now });
  const by = { ...changeAuthor(author, least, change), count, ...address };
  const result = await withinLimits(ports, tenant, now, () => ports.invites.create(invite, by));
  if (isRefusal(result)) return result;
  if (result === "exists") return refuse("invite_exists");
  if (result === "actor_changed") return refuse("role_forbidden");
  if (result === "tenant_not_found") return refuse("tenant_not_found");
  await queueMail(ports, invite);
  return invite;
}

/**
 * Gives a pending or expired invite seven more days and queues its mail again. An owner whom the operator named keeps an
 * invite without an expiry. Only an owner sends the invite of an owner again.
 */
export async function resendInvite(
  ports: InvitePorts,
  { tenant, inviteId, author, now }: InviteRequest,
): Promise<Invite | Refusal<MailRefusal | "invite_not_found" | "role_forbidden">> {
  const invite = await getInvite(ports, { tenant, inviteId, now });
  if (invite?.status !== "pending") return refuse("invite_not_found");
  const least = leastRole(invite.role);
  const roleRefusal = refuseRole(author.caller, tenant, least);
  if (roleRefusal) return roleRefusal;
  const address = await readAddress(ports, invite.email);
  const count = { userId: author.caller.userId, limits: ports.inviteLimits };
  const refusal = await refuseMail(ports, invite, { ...address, count, now });
  if (refusal) return refusal;
  const expiresAt = invite.expiresAt === null ? null : now + INVITE_LIFE;
  const detail = { role: invite.role, resent: true };
  const change = inviteChange(invite, { action: "invite.create", detail, at: now });
  const by = { ...changeAuthor(author, least, change), count, ...address, expiresAt };
  // The row that a sign-in bound may be under the hash of an earlier key.
  if (address.addressHashes.length > 1) await ports.invites.moveToFirstHash(tenant, address.addressHashes);
  const result = await withinLimits(ports, tenant, now, () => ports.invites.renew(invite, by));
  if (isRefusal(result)) return result;
  if (result === "exists") return refuse("invite_exists");
  if (result === "actor_changed") return refuse("role_forbidden");
  if (result === "not_pending") return refuse("invite_not_found");
  await queueMail(ports, invite);
  return { ...invite, expiresAt };
}

/**
 * Revokes a pending or expired invite, so that its address gets no access by it. Safe to repeat: only the revocation
 * itself leaves an audit row. An accepted invite is final.
 */
export async function revokeInvite(
  ports: InvitePorts,
  { tenant, inviteId, author, now }: InviteRequest,
): Promise<null | Refusal<"invite_not_found" | "role_forbidden">> {
  const roleRefusal = refuseRole(author.caller, tenant, "admin");
  if (roleRefusal) return roleRefusal;
  const invite = await getInvite(ports, { tenant, inviteId, now });
  if (invite?.status === "revoked") return null;
  if (invite?.status !== "pending") return refuse("invite_not_found");
  const change = inviteChange(invite, { action: "invite.revoke", detail: { role: invite.role }, at: now });
  const hashes = addressHashes(await ports.addressKeys(), invite.email);
  const by = { ...changeAuthor(author, "admin", change), addressHashes: hashes };
  const result = await ports.invites.revoke(invite, by);
  if (result === "actor_changed") return refuse("role_forbidden");
  if (result === "revoked") return null;
  // It ended at the same time: a second revocation succeeds, and an acceptance is final.
  const endedInvite = await getInvite(ports, { tenant, inviteId, now });
  return endedInvite?.status === "revoked" ? null : refuse("invite_not_found");
}

/** The least role that may give a role to an address. */
function leastRole(role: Role): Role {
  return role === "owner" ? "owner" : "admin";
}

async function getInvite(
  ports: InvitePorts,
  { tenant, inviteId, now }: Omit<InviteRequest, "author">,
): Promise<Invite | null> {
  const invite = isInviteId(inviteId) ? await ports.invites.get(tenant, inviteId) : null;
  return invite && isListed(invite, now) ? invite : null;
}

/** DynamoDB removes an expired row up to days late. The end of a revoked invite is not stored, so its expiry counts. */
function isListed({ acceptedAt, expiresAt }: Invite, now: Millis): boolean {
  const endedAt = acceptedAt ?? expiresAt;
  return endedAt === null || endedAt + INVITE_RETENTION > now;
}

interface Address {
  readonly addressHashes: AddressHashes;
  /** The user of the address, if there is one. */
  readonly memberId: string | null;
}

type LimitRefusal = "invite_limit" | "invite_mail_limit";
type MailRefusal = LimitRefusal | "invite_exists" | "sign_in_limit";

/** How often a write is repeated after ended invites were removed from the count. */
const ATTEMPTS_MAX = 5;

/**
 * Writes an invite, unless the tenant or the person has reached a limit. At the limit of pending invites, those that have
 * ended are removed from the count first.
 */
async function withinLimits<R extends string>(
  { inviteCounts }: InvitePorts,
  tenant: TenantId,
  now: Millis,
  write: () => Promise<R | ExceededInviteLimit | null>,
): Promise<R | null | Refusal<LimitRefusal>> {
  for (let attempt = 1; ; attempt++) {
    const result = await write();
    if (result === "mail_limit") return refuse("invite_mail_limit", undefined, secondsToNextDay(now));
    if (result !== "pending_limit") return result as R | null;
    const mayFit = attempt < ATTEMPTS_MAX && (await inviteCounts.removeEnded(tenant, now));
    if (!mayFit) return refuse("invite_limit");
  }
}

/**
 * Counts a mail in the address's cap for sign-in links, unless none goes out. What the tenant and the person have left is
 * read before, so that an invite that they may not send consumes no cap. Null if the invite is to be written.
 */
async function refuseMail(
  ports: InvitePorts,
  invite: Invite,
  { now, count, ...address }: Address & { readonly now: Millis; readonly count: InviteCount },
): Promise<Refusal<MailRefusal> | null> {
  if (await ports.invites.isAddressTaken(invite, { ...address, now })) return refuse("invite_exists");
  const find = () => ports.inviteCounts.findExceeded(invite, count, now);
  const limitRefusal = await withinLimits<never>(ports, invite.tenant, now, find);
  if (limitRefusal) return limitRefusal;
  const hash = addressHashAt(await ports.addressKeys(), invite.email, signInWindow(now).start);
  const retryAfter = await ports.signInCaps.consume("address", hash, now);
  return retryAfter === null ? null : refuse("sign_in_limit", undefined, retryAfter);
}

async function readAddress(ports: InvitePorts, email: string): Promise<Address> {
  const hashes = addressHashes(await ports.addressKeys(), email);
  return { addressHashes: hashes, memberId: await ports.users.getIdByAddress(hashes) };
}

async function queueMail(ports: InvitePorts, { tenant, id }: Invite): Promise<void> {
  await ports.mails.send({ body: encodeMail({ kind: "invite", tenant, inviteId: id }), group: tenant });
}

function inviteChange({ id }: Invite, change: Omit<AuditedChange, "resource">): AuditedChange {
  return { ...change, resource: `invite:${id}` };
}
