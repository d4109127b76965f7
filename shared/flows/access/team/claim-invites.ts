import { userActor } from "../../../domain/access/callers.ts";
import type { User } from "../../../domain/access/team.ts";
import { INVITES_PER_SIGN_IN_MAX } from "../../../domain/limits.ts";
import { errorClass } from "../../../kernel/error-class.ts";
import type { Millis } from "../../../kernel/time.ts";
import type { AddressHashes, PendingInvite } from "../../../stores/access/invite-items.ts";
import { auditEntry } from "../audit-entry.ts";
import type { ClaimInvitePorts } from "./ports.ts";

/** A user who proved their address by signing in. */
interface Claim {
  readonly user: User;
  readonly addressHashes: AddressHashes;
  /** The source address of the request; null without a gateway. */
  readonly ip: string | null;
  readonly now: Millis;
}

/**
 * Accepts the pending invites of the user's address: the user becomes a member of each tenant. One sign-in accepts at most
 * `INVITES_PER_SIGN_IN_MAX`: first those without an expiry, then the newest. The others, and one that fails, which is
 * logged, stay pending, so that the next sign-in accepts them.
 * @returns the number of invites that were accepted
 * @throws Error when the invites cannot be read
 */
export async function claimInvites(ports: ClaimInvitePorts, claim: Claim): Promise<number> {
  let acceptedCount = 0;
  const pendingInvites = await ports.invites.pendingFor(claim.addressHashes, claim.now);
  for (const pendingInvite of pendingInvites.toSorted(byLatestExpiry).slice(0, INVITES_PER_SIGN_IN_MAX)) {
    try {
      if (await claimInvite(ports, pendingInvite, claim)) acceptedCount++;
    } catch (error) {
      ports.log({ event: "invites.claim_failed", error: errorClass(error) });
    }
  }
  return acceptedCount;
}

function byLatestExpiry(a: PendingInvite, b: PendingInvite): number {
  const never = Number.MAX_SAFE_INTEGER;
  return (b.expiresAt ?? never) - (a.expiresAt ?? never);
}

async function claimInvite(
  { invites }: ClaimInvitePorts,
  { tenant, inviteId }: PendingInvite,
  { user, addressHashes, ip, now }: Claim,
): Promise<boolean> {
  const invite = await invites.get(tenant, inviteId);
  if (!invite) return false;
  const audit = auditEntry(
    { actor: userActor(user.id), ip },
    { action: "invite.accept", resource: `invite:${inviteId}`, detail: { role: invite.role }, at: now },
  );
  return (await invites.accept(invite, { user, addressHashes, audit })) === "accepted";
}
