import { beforeEach, expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, HOUR, startOfDay } from "#base/kernel/time.ts";
import { changeMemberRole } from "#features/access/flows/team/members.ts";
import { createOwnTenant } from "#features/tenants/own-tenants.ts";
import { eachFault } from "../../support/flows/fault-injection.ts";
import { newTenant } from "../../support/stores/samples.ts";
import { newEmail, useTeam } from "../access/flows/team/support/team.ts";

const TENANT_LIMITS = { perOwner: 5, perDay: 2 };
const ownsTooMany = { refused: "workspace_limit" };
const madeTooMany = { refused: "workspace_day_limit", retryAfter: 23 * 3_600 };

const { testEnv, team } = useTeam();
beforeEach(() => {
  testEnv.advance(startOfDay(testEnv.now()) + DAY + HOUR - testEnv.now());
});

async function createOwn(userId: string, tenantLimits = TENANT_LIMITS, id: TenantId = newTenant()) {
  const ports = { ...team.ports, isSignUpOpen: true, tenantLimits };
  return createOwnTenant(ports, { id, name: "Shop", author: await team.author(userId), now: testEnv.now() });
}

async function ownedTenants(userId: string): Promise<TenantId[]> {
  const { memberships } = (await team.author(userId)).caller;
  return memberships.flatMap(({ tenant, role }) => (role === "owner" ? [tenant] : []));
}

it("a person creates two tenants a day, and others in the same day as many", async () => {
  const [person, other] = [await team.signIn(newEmail()), await team.signIn(newEmail())];
  for (let i = 0; i < 2; i++) expect(await createOwn(person)).toHaveProperty("id");
  expect(await createOwn(person)).toEqual(madeTooMany);
  expect(await createOwn(other)).toHaveProperty("id");
  testEnv.advance(23 * HOUR - 1);
  expect(await createOwn(person)).toEqual({ ...madeTooMany, retryAfter: 1 });
  testEnv.advance(1);
  for (let i = 0; i < 2; i++) expect(await createOwn(person)).toHaveProperty("id");
  expect(await createOwn(person)).toEqual({ ...madeTooMany, retryAfter: 24 * 3_600 });
});

it("a person who owns five tenants creates none, until they own fewer", async () => {
  const person = await team.signIn(newEmail());
  for (let i = 0; i < 5; i++) {
    expect(await createOwn(person)).toHaveProperty("id");
    testEnv.advance(DAY);
  }
  expect(await createOwn(person)).toEqual(ownsTooMany);
  const [tenant] = await ownedTenants(person);
  if (!tenant) throw new Error("The person owns tenants.");
  await team.newMember(tenant, "owner");
  const change = {
    tenant,
    userId: person,
    author: await team.author(person),
    now: testEnv.now(),
    role: "admin",
  } as const;
  expect(await changeMemberRole(team.ports, change)).toMatchObject({ role: "admin" });
  expect(await createOwn(person)).toHaveProperty("id");
});

it("the limit of tenants counts each that a person owns, and none in which they have another role", async () => {
  const [email, limits] = [newEmail(), { perOwner: 2, perDay: 100 }];
  const person = await team.newMember(await team.newTenant(), "owner", email);
  for (const role of ["admin", "agent"] as const) await team.newMember(await team.newTenant(), role, email);
  expect(await createOwn(person, limits)).toHaveProperty("id");
  expect(await createOwn(person, limits)).toEqual(ownsTooMany);
});

it("the limits of tenants are exact for ten that a person creates at once", async () => {
  const person = await team.signIn(newEmail());
  const results = await Promise.all(Array.from({ length: 10 }, () => createOwn(person)));
  expect(results.filter((result) => isRefusal(result))).toEqual(Array(8).fill(madeTooMany));
  expect(await ownedTenants(person)).toHaveLength(2);
  const owner = await team.signIn(newEmail());
  const limits = { perOwner: 3, perDay: 100 };
  const others = await Promise.all(Array.from({ length: 8 }, () => createOwn(owner, limits).catch(() => null)));
  expect(others.filter((result) => result !== null && !isRefusal(result))).toHaveLength(3);
  expect(await ownedTenants(owner)).toHaveLength(3);
});

it("the limit of a day counts no creation that was refused because the slug is taken", async () => {
  const person = await team.signIn(newEmail());
  const taken = await team.newTenant();
  for (let i = 0; i < 3; i++)
    expect(await createOwn(person, TENANT_LIMITS, taken)).toEqual({ refused: "tenant_exists" });
  for (let i = 0; i < 2; i++) expect(await createOwn(person)).toHaveProperty("id");
});

it("the limit of a day is not reset by a process whose clock is a day behind", async () => {
  const person = await team.signIn(newEmail());
  for (let i = 0; i < 2; i++) await createOwn(person);
  testEnv.advance(-2 * HOUR);
  expect(await createOwn(person)).toMatchObject({ refused: "workspace_day_limit" });
  testEnv.advance(2 * HOUR);
  expect(await createOwn(person)).toEqual(madeTooMany);
});

eachFault("the limit of a day counts each tenant once with a fault (%s) at any call", testEnv, async (interrupt) => {
  const person = await team.signIn(newEmail());
  await interrupt(() => createOwn(person));
  while (!isRefusal(await createOwn(person)));
  expect(await ownedTenants(person)).toHaveLength(2);
});
