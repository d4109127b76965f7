import type { Millis } from "#base/kernel/time.ts";
import type { AddressHashes } from "../store/invite-items.ts";
import type { Invites } from "../store/invites.ts";
import type { Users } from "../store/users.ts";

export interface EligibilityPorts {
  readonly users: Pick<Users, "getIdByAddress" | "readSession">;
  readonly invites: Pick<Invites, "pendingFor">;
  /** Whether anyone may sign in. */
  readonly isSignUpOpen: boolean;
}

/**
 * Whether an address gets a sign-in link: a member of a tenant, an invited person, an owner whom the operator named, or
 * anyone where sign-up is open. Reads consistently, so that an invite applies at once.
 */
export async function mayReceiveLink(
  { users, invites, isSignUpOpen }: EligibilityPorts,
  addressHashes: AddressHashes,
  now: Millis,
): Promise<boolean> {
  if (isSignUpOpen) return true;
  const userId = await users.getIdByAddress(addressHashes);
  const session = userId && (await users.readSession(userId));
  if (session && session.memberships.length > 0) return true;
  return (await invites.pendingFor(addressHashes, now)).length > 0;
}
