import { beforeEach, expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { changeMemberRole, listMembers, removeMember } from "#features/access/flows/team/members.ts";
import type { Role } from "#features/access/rules/callers.ts";
import { newUserId } from "#features/access/rules/team.ts";
import { eachFault } from "../../../../support/flows/fault-injection.ts";
import { useTeam } from "./support/team.ts";

const { testEnv, team } = useTeam();
let tenant: TenantId;
beforeEach(async () => {
  tenant = await team.newTenant();
});

const newMember = (role: Role) => team.newMember(tenant, role);
async function changeRole(by: string, userId: string, role: Role) {
  return changeMemberRole(team.ports, { tenant, userId, role, author: await team.author(by), now: testEnv.now() });
}
async function remove(by: string, userId: string) {
  return removeMember(team.ports, { tenant, userId, author: await team.author(by), now: testEnv.now() });
}
const refused = (reason: string) => ({ refused: reason });
const owners = async () => Object.values(await team.roles(tenant)).filter((role) => role === "owner").length;

it("a change of role is made by an owner, returned, and recorded with both roles", async () => {
  const [owner, agent] = [await newMember("owner"), await newMember("agent")];
  expect(await changeRole(owner, agent, "admin")).toMatchObject({ userId: agent, role: "admin" });
  expect(await listMembers(team.ports, tenant)).toHaveLength(2);
  expect(await team.roles(tenant)).toEqual({ [owner]: "owner", [agent]: "admin" });
  expect((await team.author(agent)).caller.memberships).toMatchObject([{ role: "admin" }]);
  expect(await team.audits(tenant, "member.role_change")).toMatchObject([
    {
      actor: `console:${owner}`,
      resource: `user:${agent}`,
      ip: "192.0.2.1",
      detail: { role: "admin", previous_role: "agent" },
    },
  ]);
});

it("a change of role to the same role changes and records nothing", async () => {
  const owner = await newMember("owner");
  expect(await changeRole(owner, owner, "owner")).toMatchObject({ userId: owner, role: "owner" });
  expect(await team.audits(tenant, "member.role_change")).toEqual([]);
});

it("a change of role is refused to admins and agents, also of themselves", async () => {
  await newMember("owner");
  for (const role of ["admin", "agent"] as const) {
    const member = await newMember(role);
    expect(await changeRole(member, member, "owner")).toEqual(refused("role_forbidden"));
  }
});

it("a change of role takes effect on a request of its member that was authorized before it and writes after it", async () => {
  const [owner, demoted, agent] = [await newMember("owner"), await newMember("owner"), await newMember("agent")];
  const underWay = await team.author(demoted);
  await changeRole(owner, demoted, "agent");
  const request = { tenant, author: underWay, now: testEnv.now() };
  for (const userId of [demoted, agent]) {
    for (const role of ["owner", "admin"] as const) {
      expect(await changeMemberRole(team.ports, { ...request, userId, role })).toEqual(refused("role_forbidden"));
    }
  }
  expect(await team.roles(tenant)).toEqual({ [owner]: "owner", [demoted]: "agent", [agent]: "agent" });
  expect(await team.audits(tenant, "member.role_change")).toHaveLength(1);
  expect(await removeMember(team.ports, { ...request, userId: demoted })).toBeNull();
});

it("a change of role of no one, of a malformed id and of another tenant's member is refused alike", async () => {
  const owner = await newMember("owner");
  const other = await team.newMember(await team.newTenant(), "agent");
  const agent = await newMember("agent");
  for (const userId of [newUserId(testEnv.now()), "usr_x", "", `usr_${other}`, other]) {
    expect(await changeRole(owner, userId, "admin")).toEqual(refused("member_not_found"));
    expect(await remove(owner, userId)).toEqual(refused("member_not_found"));
    expect(await remove(agent, userId)).toEqual(refused("member_not_found"));
  }
});

it("a removal is made by an owner, and by each member of themselves", async () => {
  const [owner, admin, agent] = [await newMember("owner"), await newMember("admin"), await newMember("agent")];
  expect(await remove(admin, agent)).toEqual(refused("role_forbidden"));
  expect(await remove(owner, admin)).toBeNull();
  testEnv.advance(1);
  expect(await remove(agent, agent)).toBeNull();
  expect(await team.roles(tenant)).toEqual({ [owner]: "owner" });
  for (const userId of [admin, agent]) expect((await team.author(userId)).caller.memberships).toEqual([]);
  expect(await team.audits(tenant, "member.remove")).toMatchObject([
    { actor: `console:${agent}`, resource: `user:${agent}`, detail: { role: "agent" } },
    { actor: `console:${owner}`, resource: `user:${admin}`, detail: { role: "admin" } },
  ]);
});

it("a removal takes effect on a request that was authorized before it and writes after it", async () => {
  const [owner, removed, agent] = [await newMember("owner"), await newMember("owner"), await newMember("agent")];
  const underWay = await team.author(removed);
  await remove(owner, removed);
  const request = { tenant, userId: agent, author: underWay, now: testEnv.now() };
  expect(await changeMemberRole(team.ports, { ...request, role: "owner" })).toEqual(refused("role_forbidden"));
  expect(await removeMember(team.ports, request)).toEqual(refused("role_forbidden"));
  expect(await team.roles(tenant)).toEqual({ [owner]: "owner", [agent]: "agent" });
});

it("a removal of a member whose role changes at the same time removes them", async () => {
  const [owner, agent] = [await newMember("owner"), await newMember("agent")];
  for (let round = 0; round < 10; round++) {
    const member = await newMember("agent");
    const [changed, removed] = await Promise.all([changeRole(owner, member, "admin"), remove(owner, member)]);
    expect(removed).toBeNull();
    expect([refused("member_not_found"), expect.objectContaining({ role: "admin" })]).toContainEqual(changed);
  }
  expect(await team.roles(tenant)).toEqual({ [owner]: "owner", [agent]: "agent" });
});

it("the last owner neither leaves nor is demoted", async () => {
  const owner = await newMember("owner");
  await newMember("admin");
  expect(await remove(owner, owner)).toEqual(refused("last_owner"));
  expect(await changeRole(owner, owner, "agent")).toEqual(refused("last_owner"));
  const second = await newMember("owner");
  expect(await changeRole(owner, owner, "agent")).toMatchObject({ role: "agent" });
  expect(await remove(second, second)).toEqual(refused("last_owner"));
});

it("the last owner is one of two who demote or remove each other at the same time", async () => {
  for (let round = 0; round < 12; round++) {
    tenant = await team.newTenant();
    const [a, b] = [await newMember("owner"), await newMember("owner")];
    const change = [
      (by: string, of: string) => changeRole(by, of, "agent"),
      (by: string, of: string) => remove(by, of),
      (by: string) => remove(by, by),
    ][round % 3];
    const results = await Promise.all([change?.(a, b), change?.(b, a)]);
    expect(results.filter((result) => result && "refused" in result)).toHaveLength(1);
    expect(await owners()).toBe(1);
  }
});

eachFault(
  "the last owner remains, and the change is made once, with a fault (%s) at any call",
  testEnv,
  async (interrupt, { faultPoint }) => {
    tenant = await team.newTenant();
    const [a, b] = [await newMember("owner"), await newMember("owner")];
    const [byA, byB] = [await team.author(a), await team.author(b)];
    const now = testEnv.now();
    const demote = { tenant, userId: b, role: "agent", author: byA, now } as const;
    const answer = await interrupt(() => changeMemberRole(team.ports, demote));
    if (faultPoint === "lost") expect(answer).toMatchObject({ role: "agent" });
    expect(await changeMemberRole(team.ports, demote)).toMatchObject({ role: "agent" });
    expect(await team.audits(tenant, "member.role_change")).toHaveLength(1);
    // The number of owners is exact: A is the last one.
    expect(await remove(a, a)).toEqual(refused("last_owner"));
    expect(await removeMember(team.ports, { tenant, userId: a, author: byB, now })).toEqual(refused("role_forbidden"));
  },
);

eachFault(
  "the last owner remains after a removal with a fault (%s) at any call",
  testEnv,
  async (interrupt, { faultPoint }) => {
    tenant = await team.newTenant();
    const [a, b] = [await newMember("owner"), await newMember("owner")];
    const author = await team.author(a);
    const request = { tenant, userId: b, author, now: testEnv.now() };
    const answer = await interrupt(() => removeMember(team.ports, request).catch(() => "crashed"));
    if (faultPoint === "lost") expect(answer).toBeNull();
    expect([null, refused("member_not_found")]).toContainEqual(await removeMember(team.ports, request));
    expect(await team.audits(tenant, "member.remove")).toHaveLength(1);
    expect(await remove(a, a)).toEqual(refused("last_owner"));
  },
);
