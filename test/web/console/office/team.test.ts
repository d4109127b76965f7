import { expect, it } from "vitest";
import type { Invite, Member } from "#client";
import { arrangeMembers, invitableRoles, mayResend, openInvites } from "../../../../web/console/team/members.ts";

const member = (name: string | null, role: Member["role"]): Member => ({
  tenant: "acme",
  user_id: `usr_${name}`,
  email: "zoe@example.com",
  name,
  role,
  created_at: "2026-11-01T00:00:00Z",
  invited_by: null,
});
const invite = (id: string, status: Invite["status"], role: Invite["role"] = "agent"): Invite => ({
  id,
  tenant: "acme",
  email: "kim@example.com",
  role,
  status,
  invited_by: "console:usr_1",
  created_at: "2026-11-01T00:00:00Z",
  expires_at: null,
  accepted_at: null,
});

it("owners stand before admins and agents, each by name, or by address without one", () => {
  const members = [member("Ben", "agent"), member("Cy", "owner"), member(null, "admin"), member("Ana", "agent")];
  expect(arrangeMembers(members).map(({ name }) => name)).toEqual(["Cy", null, "Ana", "Ben"]);
});

it("invites that ended with a member or were revoked are not shown", () => {
  const invites = (["pending", "accepted", "declined", "revoked", "expired"] as const).map((status) =>
    invite(status, status),
  );
  expect(openInvites(invites).map(({ id }) => id)).toEqual(["expired", "declined", "pending"]);
});

it("only owners invite an owner, and send the invite of one again", () => {
  expect(invitableRoles("admin")).toEqual(["agent", "admin"]);
  expect(invitableRoles("owner")).toEqual(["agent", "admin", "owner"]);
  expect(mayResend("admin", invite("1", "expired", "owner"))).toBe(false);
  expect(mayResend("owner", invite("1", "expired", "owner"))).toBe(true);
  expect(mayResend("owner", invite("1", "declined"))).toBe(false);
});
