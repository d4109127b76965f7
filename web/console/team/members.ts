import type { Invite, Member } from "#client";
import { may, roles } from "../common/rights.ts";
import type { Role } from "../data/types.ts";

/** Owners first, then admins and agents, each by name. */
export function arrangeMembers(members: readonly Member[]): readonly Member[] {
  return [...members].sort(
    (a, b) => roles.indexOf(b.role) - roles.indexOf(a.role) || memberName(a).localeCompare(memberName(b)),
  );
}

export function memberName({ name, email }: Pick<Member, "name" | "email">): string {
  return name ?? email;
}

/** The invites that someone can still act on, and those that were declined, newest first. */
export function openInvites(invites: readonly Invite[]): readonly Invite[] {
  const isShown = ({ status }: Invite) => status === "pending" || status === "expired" || status === "declined";
  return invites.filter(isShown).reverse();
}

/** The roles that a member may give in an invite: only owners invite owners. */
export function invitableRoles(role: Role): readonly Role[] {
  return roles.filter((each) => each !== "owner" || may(role, "PATCH /console/team/{user_id}"));
}

/** Whether a member may send an invite again. */
export function mayResend(role: Role, invite: Invite): boolean {
  return invite.status !== "declined" && invitableRoles(role).includes(invite.role);
}
