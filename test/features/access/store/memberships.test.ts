import { beforeEach, expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { ActingMember, Role } from "#features/access/rules/callers.ts";
import { type Membership, newUserId } from "#features/access/rules/team.ts";
import { auditStore } from "#features/access/store/audit.ts";
import { membershipStore } from "#features/access/store/memberships.ts";
import { userStore } from "#features/access/store/users.ts";
import { tenantStatusStore } from "#features/tenants/store/tenant-status.ts";
import { injectFaults, withFaults } from "../../../support/faults.ts";
import { openedOnce } from "../../../support/opened.ts";
import { NOW } from "../../../support/stores/samples.ts";
import { openTestTable } from "../../../support/stores/test-table.ts";
import { auditOf, createMember, createTenant } from "./support/team-samples.ts";

let tenant: TenantId;
const table = openedOnce(openTestTable);
const members = openedOnce(() => membershipStore(table));
beforeEach(async () => {
  tenant = await createTenant(table);
});

async function newMember(role: Role): Promise<Membership> {
  const { id } = await createMember(table, tenant, role);
  const membership = await members.get(tenant, id);
  if (!membership) throw new Error("The member is not stored.");
  return membership;
}

const changeRole = (membership: Membership, role: Role, actor: ActingMember = null) =>
  members.changeRole(membership, role, { audit: auditOf("member.role_change", NOW + 1), actor });
const remove = (membership: Membership, actor: ActingMember = null) =>
  members.remove(membership, { audit: auditOf("member.remove", NOW + 1), actor });
const owner = (membership: Membership) => ({ userId: membership.userId, roles: ["owner"] }) as const;
const roleInSession = async (userId: string) =>
  (await userStore(table).readSession(userId))?.memberships.map(({ role }) => role);

async function auditCount(action: "member.role_change" | "member.remove"): Promise<number> {
  const { rows } = await auditStore(table).list(tenant, { before: null, limit: 100, now: NOW + 1 });
  return rows.filter((row) => row.action === action).length;
}

it("the members of a tenant are listed, and no other's", async () => {
  expect(await members.list(tenant)).toEqual([]);
  const [first, second] = [await newMember("owner"), await newMember("agent")];
  expect(first).toEqual({
    tenant,
    userId: first.userId,
    email: first.email,
    name: null,
    role: "owner",
    createdAt: NOW,
    invitedBy: "cli",
  });
  expect(new Set(await members.list(tenant))).toEqual(new Set([first, second]));
  expect(await members.list(await createTenant(table))).toEqual([]);
  expect(await members.get(tenant, newUserId(NOW))).toBeNull();
});

it("a change of role is on both sides of the membership, with one audit row", async () => {
  const member = await newMember("agent");
  expect(await changeRole(member, "admin")).toBe("changed");
  expect(await members.get(tenant, member.userId)).toEqual({ ...member, role: "admin" });
  expect(await roleInSession(member.userId)).toEqual(["admin"]);
  expect(await auditCount("member.role_change")).toBe(1);
});

it("a change of role that was read before another change is stale, and of a removed member not found", async () => {
  const member = await newMember("agent");
  await changeRole(member, "admin");
  expect(await changeRole(member, "owner")).toBe("stale");
  expect(await remove(member)).toBe("stale");
  await remove({ ...member, role: "admin" });
  expect(await changeRole({ ...member, role: "admin" }, "agent")).toBe("not_found");
  expect(await remove({ ...member, role: "admin" })).toBe("not_found");
  expect(await roleInSession(member.userId)).toEqual([]);
  expect(await auditCount("member.role_change")).toBe(1);
  expect(await auditCount("member.remove")).toBe(1);
});

it("a change of role whose answer is lost is applied once", async () => {
  const member = await newMember("agent");
  expect(await withFaults(table.client, "lost", () => changeRole(member, "owner"))).toBe("changed");
  expect(await changeRole({ ...member, role: "owner" }, "agent")).toBe("last_owner");
  expect(await auditCount("member.role_change")).toBe(1);
});

it("the last owner is neither demoted nor removed, and nothing is recorded", async () => {
  const only = await newMember("owner");
  await newMember("admin");
  expect([await changeRole(only, "admin"), await remove(only)]).toEqual(["last_owner", "last_owner"]);
  expect(await roleInSession(only.userId)).toEqual(["owner"]);
  expect(await auditCount("member.role_change")).toBe(0);
  expect(await auditCount("member.remove")).toBe(0);
});

it("the last owner is one of ten owners who are all demoted or removed at once", async () => {
  const owners: Membership[] = [];
  for (let n = 0; n < 10; n++) owners.push(await newMember("owner"));
  const results = await Promise.all(
    owners.map((member, n) => (n % 2 === 0 ? remove(member) : changeRole(member, "agent"))),
  );
  expect(results.filter((result) => result === "last_owner")).toHaveLength(1);
  expect((await members.list(tenant)).filter(({ role }) => role === "owner")).toHaveLength(1);
});

it("an acting member whose role was taken changes nothing more", async () => {
  const [author, other, third] = [await newMember("owner"), await newMember("owner"), await newMember("agent")];
  await changeRole(author, "admin");
  expect(await changeRole(third, "admin", owner(author))).toBe("actor_changed");
  expect(await remove(third, owner(author))).toBe("actor_changed");
  await remove({ ...author, role: "admin" });
  expect(await remove(third, owner(author))).toBe("actor_changed");
  expect(await remove(third, owner(other))).toBe("changed");
});

it("an acting member leaves, as long as another owner stays", async () => {
  const [author, other] = [await newMember("owner"), await newMember("owner")];
  expect(await remove(author, owner(author))).toBe("changed");
  expect(await remove(other, owner(other))).toBe("last_owner");
});

it("an acting member removes one who removes them at the same time, so that one of both stays", async () => {
  for (let round = 0; round < 5; round++) {
    tenant = await createTenant(table);
    const [a, b] = [await newMember("owner"), await newMember("owner")];
    await newMember("owner");
    const results = await Promise.all([remove(a, owner(b)), remove(b, owner(a))]);
    expect(results.sort()).toEqual(["actor_changed", "changed"]);
  }
});

it("a suspended tenant is marked on its members' sessions, and a removed member is no obstacle", async () => {
  const statuses = tenantStatusStore(table);
  const isSuspended = async (userId: string) =>
    (await userStore(table).readSession(userId))?.memberships.map((membership) => membership.isSuspended);
  const member = await newMember("owner");
  await statuses.set(tenant, "suspended", auditOf("tenant.update"));
  expect(await statuses.markMembers(tenant, "active")).toBe(false);
  expect(await isSuspended(member.userId)).toEqual([false]);
  expect(await statuses.markMembers(tenant, "suspended")).toBe(true);
  expect(await isSuspended(member.userId)).toEqual([true]);
  const later = await newMember("agent");
  expect(await isSuspended(later.userId)).toEqual([true]);
  await statuses.set(tenant, "active", auditOf("tenant.update"));
  const end = injectFaults(table.client, ({ index }) => (index === 1 ? "crash" : "pass"));
  await statuses.markMembers(tenant, "active").catch(() => null);
  end();
  expect(await statuses.markMembers(tenant, "active")).toBe(true);
  for (const { userId } of [member, later]) expect(await isSuspended(userId)).toEqual([false]);
});

it("a hundred members and more take several transactions, and one who is removed at the same time is left out", async () => {
  const statuses = tenantStatusStore(table);
  const all: Membership[] = [];
  for (let n = 0; n < 101; n++) all.push(await newMember("agent"));
  await statuses.set(tenant, "suspended", auditOf("tenant.update"));
  const [gone, ...rest] = all as [Membership, ...Membership[]];
  let requests = 0;
  const { client } = table;
  // After the list was read, before the first marks are written.
  client.middlewareStack.add(
    (next) => async (args) => {
      if (++requests === 2) await remove(gone);
      return next(args);
    },
    { step: "initialize", name: "removes a member" },
  );
  const isMarked = await statuses.markMembers(tenant, "suspended");
  client.middlewareStack.remove("removes a member");
  expect(isMarked).toBe(true);
  for (const { userId } of rest) {
    expect((await userStore(table).readSession(userId))?.memberships).toMatchObject([{ isSuspended: true }]);
  }
  expect((await userStore(table).readSession(gone.userId))?.memberships).toEqual([]);
});
