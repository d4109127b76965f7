import { isRefusal, type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { endAccess } from "#features/realtime/cut-off.ts";
import type { Grant } from "#features/realtime/rules/sockets.ts";
import { journaled } from "#features/recovery/journal.ts";
import {
  type AuditedChange,
  type CallerAuthor,
  changeAuthor,
  hasRole,
  type Role,
  refuseRole,
  type SessionCaller,
} from "../../rules/callers.ts";
import { isUserId, type Membership } from "../../rules/team.ts";
import type { MembershipChange } from "../../store/memberships.ts";
import type { MemberPorts } from "./ports.ts";

/** How often a change is repeated after another change of the same member. */
const ATTEMPTS_MAX = 5;

/** One member, as a request names them. */
interface MemberRequest {
  readonly tenant: TenantId;
  readonly userId: string;
  readonly author: CallerAuthor<SessionCaller>;
  readonly now: Millis;
}

type MemberRefusal = Refusal<"member_not_found" | "last_owner" | "role_forbidden">;

/** Lists the members of a tenant, in the order in which their users were created. */
export function listMembers(ports: Pick<MemberPorts, "memberships">, tenant: TenantId): Promise<readonly Membership[]> {
  return ports.memberships.list(tenant);
}

/**
 * Gives a member another role. Owners may, as long as an owner remains. The member's next request has the new role. Safe
 * to repeat: only a change leaves an audit row.
 */
export async function changeMemberRole(
  ports: Pick<MemberPorts, "memberships" | "journal">,
  request: MemberRequest & { readonly role: Role },
): Promise<Membership | MemberRefusal> {
  const { tenant, userId, author, role, now } = request;
  const roleRefusal = refuseRole(author.caller, tenant, "owner");
  if (roleRefusal) return roleRefusal;
  return changeMember(ports, request, async (member) => {
    if (member.role === role) return "changed";
    const detail = { role, previous_role: member.role };
    const change = memberChange(request, "member.role_change", detail);
    const write = () => ports.memberships.changeRole(member, role, changeAuthor(author, "owner", change));
    if (hasRole(role, member.role)) return write();
    const act = { kind: "member.lower", tenant, userId, role } as const;
    return journaled(ports, { act, at: now }, write, (result) => result !== "changed");
  }).then((member) => (isRefusal(member) ? member : { ...member, role }));
}

/**
 * Removes a member: owners remove anyone, and each member themselves, as long as an owner remains. The member's next
 * request is refused, and their sockets are closed.
 */
export async function removeMember(ports: MemberPorts, request: MemberRequest): Promise<null | MemberRefusal> {
  const { tenant, userId, author, now } = request;
  const leaves = author.caller.userId === userId;
  const isAllowed = leaves || !refuseRole(author.caller, tenant, "owner");
  const result = await changeMember(ports, request, async (member) => {
    if (!isAllowed) return "actor_changed";
    const change = memberChange(request, "member.remove", { role: member.role });
    const changedBy = changeAuthor(author, leaves ? "agent" : "owner", change);
    const includes = (grant: Grant) =>
      grant.kind === "session" && grant.userId === userId && grant.memberSince === member.createdAt;
    const act = { kind: "member.remove", tenant, userId } as const;
    const write = () => ports.memberships.remove(member, changedBy);
    const removal = () => journaled(ports, { act, at: now }, write, (result) => result !== "changed");
    return endAccess(ports, { tenants: [tenant], includes }, removal, (result) => result === "changed");
  });
  return isRefusal(result) ? result : null;
}

/** Changes a member as they are stored, and again if another request changed them at the same time. */
async function changeMember(
  ports: Pick<MemberPorts, "memberships">,
  { tenant, userId }: MemberRequest,
  change: (member: Membership) => Promise<MembershipChange>,
): Promise<Membership | MemberRefusal> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const member = isUserId(userId) ? await ports.memberships.get(tenant, userId) : null;
    const result = member ? await change(member) : "not_found";
    if (!member || result === "not_found") return refuse("member_not_found");
    if (result === "changed") return member;
    if (result === "last_owner") return refuse("last_owner");
    if (result === "actor_changed") return refuse("role_forbidden");
  }
  throw new Error("The member changed too often.");
}

function memberChange(
  { userId, now }: MemberRequest,
  action: AuditedChange["action"],
  detail: AuditedChange["detail"],
): AuditedChange {
  return { action, resource: `user:${userId}`, detail, at: now };
}
