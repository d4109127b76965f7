import { callerActor, type SessionCaller } from "../../../domain/access/callers.ts";
import { newUlid } from "../../../kernel/ids.ts";
import type { Millis } from "../../../kernel/time.ts";
import { auditEntry } from "../audit-entry.ts";
import type { SignOutPorts } from "./ports.ts";

/** Ends every session of the person, with an audit row in each of their tenants. Safe to repeat. */
export async function signOut(
  ports: SignOutPorts,
  { caller, ip, now }: { readonly caller: SessionCaller; readonly ip: string | null; readonly now: Millis },
): Promise<void> {
  const { userId, epoch, memberships } = caller;
  const actor = { actor: callerActor(caller), ip };
  const entry = auditEntry(actor, { action: "session.sign_out", resource: `user:${userId}`, detail: {}, at: now });
  const audits = memberships.map(({ tenant }) => ({ tenant, entry }));
  await ports.users.raiseEpoch(userId, { epoch, audits, op: newUlid(now) });
}
