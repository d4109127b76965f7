import { errorClass } from "#base/kernel/error-class.ts";
import { INVITES_PER_SIGN_IN_MAX } from "#base/kernel/limits.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type Author, auditEntry } from "../../rules/callers.ts";
import type { User } from "../../rules/team.ts";
import type { AddressHashes, PendingInvite } from "../../store/invite-items.ts";
import type { ClaimInvitePorts } from "./ports.ts";

/** A user who proved their address by signing in. */
interface Claim {
  readonly user: User;
  readonly addressHashes: AddressHashes;
  /** The invite whose mail the sign-in came from; null for none. */
  readonly inviteId: string | null;
  /** The user, as the author of an acceptance. */
  readonly author: Author;
  readonly now: Millis;
}

/**
 * Binds the pending invites of the user's address to the user, who can then accept or decline each. Accepts the one
 * whose mail the sign-in came from, or else, for a user who belongs to no tenant, the only one: any other invite would
 * change what the running sessions of the user read. One sign-in binds at most `INVITES_PER_SIGN_IN_MAX`: first those
 * without an expiry, then the newest. One that fails is logged, and the next sign-in binds it.
 * @throws Error when the invites cannot be read
 */
export async function claimInvites(ports: ClaimInvitePorts, claim: Claim): Promise<void> {
  const { user, inviteId, addressHashes, now } = claim;
  const pendingInvites = (await ports.invites.pendingFor(addressHashes, now)).toSorted(byLatestExpiry);
  const accepted =
    pendingInvites.find((invite) => invite.inviteId === inviteId) ?? (await onlyInvite(ports, claim, pendingInvites));
  if (accepted) await orLog(ports, () => acceptInvite(ports, accepted, claim));
  const unbound = pendingInvites.filter((invite) => invite !== accepted && invite.boundTo !== user.id);
  for (const invite of unbound.slice(0, INVITES_PER_SIGN_IN_MAX)) {
    await orLog(ports, () => ports.invites.bind(invite, user.id));
  }
}

/** The only invite of a person who belongs to no tenant. */
async function onlyInvite(
  { users }: ClaimInvitePorts,
  { user }: Claim,
  [only, ...others]: readonly PendingInvite[],
): Promise<PendingInvite | undefined> {
  if (!only || others.length > 0) return undefined;
  const session = await users.readSession(user.id);
  return session?.memberships.length === 0 ? only : undefined;
}

function byLatestExpiry(a: PendingInvite, b: PendingInvite): number {
  const never = Number.MAX_SAFE_INTEGER;
  return (b.expiresAt ?? never) - (a.expiresAt ?? never);
}

async function acceptInvite(
  { invites }: ClaimInvitePorts,
  { tenant, inviteId }: PendingInvite,
  { user, addressHashes, author, now }: Claim,
): Promise<void> {
  const invite = await invites.get(tenant, inviteId);
  if (!invite) return;
  const detail = { role: invite.role };
  const audit = auditEntry(author, { action: "invite.accept", resource: `invite:${inviteId}`, detail, at: now });
  await invites.accept(invite, { user, addressHashes, audit });
}

async function orLog({ log }: ClaimInvitePorts, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log({ event: "invites.claim_failed", error: errorClass(error) });
  }
}
