import { errorClass } from "#base/kernel/error-class.ts";
import { allDone, forEachConcurrent } from "#base/kernel/parallel.ts";
import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { Millis } from "#base/kernel/time.ts";
import { addressHashes } from "../../rules/address-hash.ts";
import { type Author, auditEntry, userActor } from "../../rules/callers.ts";
import { newUserId, type User } from "../../rules/team.ts";
import { type SealedSession, sealSession } from "../../sessions.ts";
import { claimInvites } from "../team/claim-invites.ts";
import { openLoginAddress, toLoginId } from "./login-link.ts";
import type { SignInPorts } from "./ports.ts";

const AUDIT_ROWS_AT_ONCE = 10;

/** A person who opened their link. */
export interface SignIn {
  readonly session: SealedSession;
  /** The path on the console's origin to which it redirects. */
  readonly redirect: string;
}

/**
 * Signs a person in by the token of their link. The link is consumed before anything else is written, so that of
 * several calls at most one begins a session; where a fault follows, none does, and the person needs a new link. What
 * does not need the link, the keys, is read before.
 * @param ip the source address; null without a gateway
 */
export async function signIn(
  ports: SignInPorts,
  { token, ip, now }: { readonly token: string; readonly ip: string | null; readonly now: Millis },
): Promise<SignIn | Refusal<"invalid_token">> {
  const loginId = toLoginId(token);
  if (loginId === null) return refuse("invalid_token");
  const keys = await readKeys(ports);
  const link = await ports.loginTokens.consume(loginId, now);
  if (link === null) return refuse("invalid_token");
  const email = openLoginAddress(keys.login, loginId, link);
  if (email === null) return refuse("invalid_token");

  const hashes = addressHashes(keys.address, email);
  const user = await ports.users.recordSignIn({ addressHashes: hashes, email, newUserId: newUserId(now), now });
  const author = { actor: userActor(user.id), ip };
  await claimPendingInvites(ports, { user, addressHashes: hashes, inviteId: link.inviteId ?? null, author, now });
  const epoch = await recordInEachTenant(ports, { user, author, now });
  const session = await sealSession(keys.session, { userId: user.id, epoch, now });
  return { session, redirect: link.redirect };
}

async function readKeys({ addressKeys, loginKeys, sessionKeys }: SignInPorts) {
  const [address, login, session] = await allDone([addressKeys(), loginKeys(), sessionKeys()]);
  return { address, login, session };
}

/** Invites that cannot be read now remain pending: the next sign-in finds them. */
async function claimPendingInvites(ports: SignInPorts, claim: Parameters<typeof claimInvites>[1]): Promise<void> {
  try {
    await claimInvites(ports, claim);
  } catch (error) {
    ports.log({ event: "invites.claim_failed", error: errorClass(error) });
  }
}

/** @returns the epoch of the user's sessions, read after the invites were accepted */
async function recordInEachTenant(
  ports: SignInPorts,
  { user, author, now }: { readonly user: User; readonly author: Author; readonly now: Millis },
): Promise<number> {
  const storedSession = await ports.users.readSession(user.id);
  if (!storedSession) throw new Error("The user of a sign-in does not exist.");
  const entry = auditEntry(author, { action: "session.sign_in", resource: `user:${user.id}`, detail: {}, at: now });
  await forEachConcurrent(storedSession.memberships, AUDIT_ROWS_AT_ONCE, ({ tenant }) =>
    ports.audit.add(tenant, entry),
  );
  return storedSession.user.sessionEpoch;
}
