import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { auditEntry, hasRole, type Role } from "#features/access/rules/callers.ts";
import type { Membership } from "#features/access/rules/team.ts";
import type { MembershipChange } from "#features/access/store/memberships.ts";
import { endAccess } from "#features/realtime/cut-off.ts";
import type { Grant } from "#features/realtime/rules/sockets.ts";
import { journaled } from "../journal.ts";
import type { ActResult, ApplyJournalPorts } from "./ports.ts";

/** How the audit log names the restore. */
export const RESTORE_AUTHOR = { actor: "restore" } as const;

/** How often a change is repeated after another change of the same member. */
const ATTEMPTS_MAX = 5;

interface OneMember {
  readonly tenant: TenantId;
  readonly userId: string;
}

interface ActTime {
  readonly at: Millis;
  readonly now: Millis;
}

type MemberPorts = Pick<ApplyJournalPorts, "memberships" | "journal" | "sockets" | "realtime" | "log">;

/** Removes a member, unless they joined after the act. */
export function removeMember(ports: MemberPorts, who: OneMember, { at, now }: ActTime): Promise<ActResult> {
  const { tenant, userId } = who;
  return changeMember(ports, who, at, (member) => {
    const detail = { role: member.role };
    const entry = { action: "member.remove", resource: `user:${userId}`, detail, at: now } as const;
    const includes = (grant: Grant) =>
      grant.kind === "session" && grant.userId === userId && grant.memberSince === member.createdAt;
    const write = () => ports.memberships.remove(member, { audit: auditEntry(RESTORE_AUTHOR, entry), actor: null });
    const act = { kind: "member.remove", tenant, userId } as const;
    const removal = () => journaled(ports, { act, at: now }, write, (result) => result !== "changed");
    return endAccess(ports, { tenants: [tenant], includes }, removal, (result) => result === "changed");
  });
}

/** Gives a member the role of the act, unless theirs is not higher or they joined after it. */
export function lowerMember(
  ports: MemberPorts,
  who: OneMember & { readonly role: Role },
  { at, now }: ActTime,
): Promise<ActResult> {
  const { tenant, userId, role } = who;
  return changeMember(ports, who, at, async (member) => {
    if (hasRole(role, member.role)) return "unchanged";
    const detail = { role, previous_role: member.role };
    const entry = { action: "member.role_change", resource: `user:${userId}`, detail, at: now } as const;
    const author = { audit: auditEntry(RESTORE_AUTHOR, entry), actor: null };
    const act = { kind: "member.lower", tenant, userId, role } as const;
    const write = () => ports.memberships.changeRole(member, role, author);
    return journaled(ports, { act, at: now }, write, (result) => result !== "changed");
  });
}

async function changeMember(
  { memberships }: MemberPorts,
  { tenant, userId }: OneMember,
  at: Millis,
  change: (member: Membership) => Promise<MembershipChange | "unchanged">,
): Promise<ActResult> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const member = await memberships.get(tenant, userId);
    if (!member || member.createdAt > at) return "unchanged";
    const result = await change(member);
    if (result === "not_found" || result === "unchanged") return "unchanged";
    if (result === "changed") return "made";
    if (result === "last_owner") {
      return {
        problem: `${userId} is the only owner of ${tenant}, and was removed or lowered since. Name another owner with tenant invite-owner, then remove them.`,
      };
    }
  }
  throw new Error("The member changed too often.");
}
