import { newUlid } from "#base/kernel/ids.ts";
import type { Millis } from "#base/kernel/time.ts";
import { endAccess } from "#features/realtime/cut-off.ts";
import type { Grant } from "#features/realtime/rules/sockets.ts";
import { journaled } from "#features/recovery/journal.ts";
import type { SessionCaller } from "../../rules/callers.ts";
import { auditEntry, type CallerAuthor } from "../../rules/callers.ts";
import type { SignOutPorts } from "./ports.ts";

/** Ends every session of the person and their sockets, with an audit row in each of their tenants. Safe to repeat. */
export async function signOut(
  ports: SignOutPorts,
  { author, now }: { readonly author: CallerAuthor<SessionCaller>; readonly now: Millis },
): Promise<void> {
  const { userId, epoch, memberships } = author.caller;
  const entry = auditEntry(author, { action: "session.sign_out", resource: `user:${userId}`, detail: {}, at: now });
  const audits = memberships.map(({ tenant }) => ({ tenant, entry }));
  const access = {
    tenants: memberships.map(({ tenant }) => tenant),
    includes: (grant: Grant) => grant.kind === "session" && grant.userId === userId && grant.epoch <= epoch,
  };
  const write = () => ports.users.raiseEpoch(userId, { epoch, audits, op: newUlid(now) });
  // Without a change, another sign-out has ended the sessions.
  const raise = () => journaled(ports, { act: { kind: "sessions.end", userId }, at: now }, write, () => false);
  await endAccess(ports, access, raise, (isRaised) => isRaised);
}
