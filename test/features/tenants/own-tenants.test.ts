import { expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { removeMember } from "#features/access/flows/team/members.ts";
import { setTenantStatus } from "#features/tenants/flows/tenant-status.ts";
import { changeTenant, createOwnTenant, getOwnTenant, listOwnTenants } from "#features/tenants/own-tenants.ts";
import { eachFault, FAULT_STEP, faultPoints, firstFault, injectFaultAt } from "../../support/flows/fault-injection.ts";
import { newTenant } from "../../support/stores/samples.ts";
import { newEmail, useTeam } from "../access/flows/team/support/team.ts";

const { testEnv, team } = useTeam();

const refused = (reason: string) => ({ refused: reason });
async function create(userId: string, id: TenantId, isSignUpOpen = true) {
  const ports = { ...team.ports, isSignUpOpen };
  return createOwnTenant(ports, { id, name: "Shop", author: await team.author(userId), now: testEnv.now() });
}
const list = async (userId: string) => listOwnTenants(team.ports, (await team.author(userId)).caller);
const get = async (userId: string, slug: string) =>
  getOwnTenant(team.ports, { slug, caller: (await team.author(userId)).caller });
const rename = async (userId: string, slug: string, name: string) =>
  changeTenant(team.ports, { slug, change: { name }, author: await team.author(userId), now: testEnv.now() });
const remove = async (tenant: TenantId, userId: string) =>
  removeMember(team.ports, { tenant, userId, author: await team.author(userId), now: testEnv.now() });

it("a person creates a tenant only where sign-up is open, and is its owner", async () => {
  const [userId, slug] = [await team.signIn(newEmail()), newTenant()];
  expect(await create(userId, slug, false)).toEqual(refused("sign_up_closed"));
  expect(await list(userId)).toEqual([]);
  const now = testEnv.now();
  const tenant = {
    id: slug,
    name: "Shop",
    status: "active",
    ownerEmail: null,
    language: null,
    createdAt: now,
    updatedAt: now,
  };
  expect(await create(userId, slug)).toEqual(tenant);
  expect(await list(userId)).toEqual([{ ...tenant, role: "owner", invitedBy: null, inviterEmail: null }]);
  expect(await get(userId, slug)).toEqual(tenant);
  expect(await team.audits(slug, "tenant.create")).toMatchObject([{ actor: `console:${userId}` }]);
  const members = await team.ports.memberships.list(slug);
  expect(members).toMatchObject([{ userId, role: "owner", invitedBy: null }]);
  expect(await remove(slug, userId)).toEqual(refused("last_owner"));
});

it("a slug belongs to one of ten who ask for it at once", async () => {
  const slug = newTenant();
  const userIds = await Promise.all(Array.from({ length: 10 }, () => team.signIn(newEmail())));
  const results = await Promise.all(userIds.map((userId) => create(userId, slug)));
  expect(results.filter((result) => "id" in result)).toHaveLength(1);
  expect(results.filter((result) => "refused" in result)).toEqual(Array(9).fill(refused("tenant_exists")));
  expect(Object.values(await team.roles(slug))).toEqual(["owner"]);
});

it("a tenant of others is refused as one that does not exist", async () => {
  const [stranger, tenant] = [await team.signIn(newEmail()), await team.newTenant()];
  for (const slug of [tenant, newTenant(), "X", "", "a b"]) {
    expect(await get(stranger, slug)).toEqual(refused("tenant_not_found"));
    expect(await rename(stranger, slug, "Mine")).toEqual(refused("tenant_not_found"));
  }
});

it("owners set the language of mails, change it with the name, and unset it", async () => {
  const tenant = await team.newTenant();
  const owner = await team.newMember(tenant, "owner");
  const change = async (values: { readonly name?: string; readonly language?: "de" | "fr" | null }) =>
    changeTenant(team.ports, { slug: tenant, change: values, author: await team.author(owner), now: testEnv.now() });
  expect(await change({ language: "de" })).toMatchObject({ language: "de" });
  expect(await change({ language: "de" })).toMatchObject({ language: "de" });
  expect(await change({ name: "Boutique", language: "fr" })).toMatchObject({ name: "Boutique", language: "fr" });
  expect(await change({ language: null })).toMatchObject({ name: "Boutique", language: null });
  const changes = (await team.audits(tenant, "tenant.update")).map(({ detail }) => detail.changed);
  expect(changes.sort()).toEqual(["language", "language", "name,language"]);
});

it("owners change the name, which is recorded once", async () => {
  const tenant = await team.newTenant();
  const [owner, admin] = [await team.newMember(tenant, "owner"), await team.newMember(tenant, "admin")];
  expect(await rename(admin, tenant, "Store")).toEqual(refused("role_forbidden"));
  testEnv.advance(1);
  expect(await rename(owner, tenant, "Store")).toMatchObject({ name: "Store", updatedAt: testEnv.now() });
  expect(await rename(owner, tenant, "Store")).toMatchObject({ name: "Store" });
  expect(await team.audits(tenant, "tenant.update")).toMatchObject([
    { actor: `console:${owner}`, detail: { changed: "name" } },
  ]);
  const [underWay] = [await team.author(owner), await team.newMember(tenant, "owner")];
  await remove(tenant, owner);
  const late = { slug: tenant, change: { name: "Mine" }, author: underWay, now: testEnv.now() };
  expect(await changeTenant(team.ports, late)).toEqual(refused("role_forbidden"));
});

it("a suspended tenant is listed with its status, and otherwise refused", async () => {
  const [tenant, other] = [await team.newTenant(), await team.newTenant()];
  const owner = await team.newMember(tenant, "owner");
  const setStatus = (status: "active" | "suspended") =>
    setTenantStatus(team.ports, tenant, { status, author: { actor: "cli" } }, testEnv.now());
  await setStatus("suspended");
  expect(await list(owner)).toMatchObject([{ id: tenant, status: "suspended", role: "owner" }]);
  expect(await get(owner, tenant)).toEqual(refused("tenant_suspended"));
  expect(await rename(owner, tenant, "Store")).toEqual(refused("tenant_suspended"));
  expect(await get(owner, other)).toEqual(refused("tenant_not_found"));
  await setStatus("active");
  expect(await get(owner, tenant)).toMatchObject({ status: "active" });
});

it.each(faultPoints)("a suspension with a fault (%s) at any call is completed by the next run", async (faultPoint) => {
  const tenant = await team.newTenant();
  const owner = await team.newMember(tenant, "owner");
  const isSuspended = async () =>
    (await team.author(owner)).caller.memberships.map((membership) => membership.isSuspended);
  for (let k = firstFault(faultPoint), reached = true; reached; k += FAULT_STEP) {
    const status = (await isSuspended())[0] ? "active" : "suspended";
    const set = () => setTenantStatus(team.ports, tenant, { status, author: { actor: "cli" } }, testEnv.now());
    const injection = injectFaultAt(testEnv.clients, faultPoint, k);
    await set().catch(() => null);
    injection.remove();
    reached = injection.reached();
    expect(await set()).toBe("completed");
    expect(await isSuspended()).toEqual([status === "suspended"]);
  }
});

eachFault(
  "a tenant that is created with a fault (%s) at any call has one owner",
  testEnv,
  async (interrupt, { faultPoint }) => {
    const [userId, slug] = [await team.signIn(newEmail()), newTenant()];
    const author = await team.author(userId);
    const request = { id: slug, name: "Shop", author, now: testEnv.now() };
    const ports = { ...team.ports, isSignUpOpen: true };
    const answer = await interrupt(() => createOwnTenant(ports, request));
    if (faultPoint === "lost") expect(answer).toMatchObject({ id: slug });
    await createOwnTenant(ports, request);
    expect(await team.roles(slug)).toEqual({ [userId]: "owner" });
    expect(await remove(slug, userId)).toEqual(refused("last_owner"));
  },
);
