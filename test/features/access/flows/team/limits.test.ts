import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, HOUR, startOfDay } from "#base/kernel/time.ts";
import { createInvite, resendInvite, revokeInvite } from "#features/access/flows/team/invites.ts";
import { changeMemberRole } from "#features/access/flows/team/members.ts";
import { createOwnTenant } from "#features/access/own-tenants.ts";
import { type InviteLimits, inviteCountStore } from "#features/access/store/invite-counts.ts";
import { eachFault } from "../../../../support/flows/fault-injection.ts";
import { newTenant } from "../../../../support/stores/samples.ts";
import { newEmail, useTeam } from "./support/team.ts";

const UNLIMITED = { pending: 1_000, tenantMails: 1_000, personMails: 1_000 };
const tooManyPending = { refused: "invite_limit" };
const tooManyMails = { refused: "invite_mail_limit", retryAfter: 23 * 3_600 };

const { testEnv, team } = useTeam();
let tenant: TenantId;
let owner: string;
beforeEach(async () => {
  tenant = await team.newTenant();
  testEnv.advance(startOfDay(testEnv.now()) + DAY + HOUR - testEnv.now());
  owner = await team.newMember(tenant, "owner");
  team.mails.length = 0;
});

interface From {
  readonly email?: string;
  readonly userId?: string;
  readonly to?: TenantId;
}

async function invite(limits: Partial<InviteLimits>, { email = newEmail(), userId = owner, to = tenant }: From = {}) {
  const ports = { ...team.ports, inviteLimits: { ...UNLIMITED, ...limits } };
  const author = await team.author(userId);
  return createInvite(ports, { tenant: to, email, role: "agent", author, now: testEnv.now() });
}

async function newInvite(limits: Partial<InviteLimits>, from: From = {}) {
  const created = await invite(limits, from);
  if (isRefusal(created)) throw new Error(created.refused);
  return created;
}

async function resend(limits: Partial<InviteLimits>, inviteId: string) {
  const ports = { ...team.ports, inviteLimits: { ...UNLIMITED, ...limits } };
  return resendInvite(ports, { tenant, inviteId, author: await team.author(owner), now: testEnv.now() });
}

const revoke = async (inviteId: string) =>
  revokeInvite(team.ports, { tenant, inviteId, author: await team.author(owner), now: testEnv.now() });

it("a tenant has 50 pending invites unless the operator sets another number, and another tenant its own", async () => {
  const author = await team.author(owner);
  const create = () =>
    createInvite(team.ports, { tenant, email: newEmail(), role: "agent", author, now: testEnv.now() });
  for (let i = 0; i < 50; i++) expect(await create()).toHaveProperty("id");
  expect(await create()).toEqual(tooManyPending);
  const other = await team.newTenant();
  expect(await invite({ pending: 1 }, { to: other, userId: await team.newMember(other, "owner") })).toHaveProperty(
    "id",
  );
  expect(team.mails).toHaveLength(51);
});

it.each([
  ["accepted", async (_id: string, email: string) => void (await team.signIn(email))],
  ["revoked", async (id: string) => void (await revoke(id))],
  ["expired", async () => void testEnv.advance(7 * DAY)],
] as const)("an invite that was %s leaves room for another one", async (_, end) => {
  const limits = { pending: 2 };
  const email = newEmail();
  const first = await newInvite(limits, { email });
  testEnv.advance(1);
  await newInvite(limits);
  expect(await invite(limits)).toEqual(tooManyPending);
  await end(first.id, email);
  expect(await invite(limits)).toHaveProperty("id");
});

it("an expired invite that is sent again counts again", async () => {
  const limits = { pending: 2 };
  const expired = await newInvite(limits);
  testEnv.advance(7 * DAY);
  for (let i = 0; i < 2; i++) await newInvite(limits);
  expect(await resend(limits, expired.id)).toEqual(tooManyPending);
  await revoke((await newInvite({ pending: 3 })).id);
  expect(await resend({ pending: 3 }, expired.id)).toHaveProperty("id");
  expect(await invite({ pending: 3 })).toEqual(tooManyPending);
});

it("an expired invite that is sent again while ended ones are removed still counts", async () => {
  const expired = await newInvite({});
  testEnv.advance(7 * DAY);
  // The resend comes between the reads of the removal and its write.
  const { client } = testEnv.table;
  const send = async (command: UpdateCommand) => {
    if (command instanceof UpdateCommand) expect(await resend({}, expired.id)).toHaveProperty("id");
    return client.send(command);
  };
  const interrupted = { ...testEnv.table, client: { send } as unknown as typeof client };
  expect(await inviteCountStore(interrupted).removeEnded(tenant, testEnv.now())).toBe(true);
  expect(await invite({ pending: 1 })).toEqual(tooManyPending);
});

it("the limit of pending invites is exact for ten at once, also with one that has ended", async () => {
  const limits = { pending: 3 };
  await revoke((await newInvite(limits)).id);
  const results = await Promise.all(Array.from({ length: 10 }, () => invite(limits).catch(() => null)));
  expect(results.filter((result) => result !== null && !isRefusal(result))).toHaveLength(3);
  expect(await invite(limits)).toEqual(tooManyPending);
});

it("a tenant sends a number of invite mails a day, with those that are sent again", async () => {
  const limits = { tenantMails: 3 };
  const other = await team.newMember(tenant, "admin");
  const { id } = await newInvite(limits);
  await newInvite(limits, { userId: other });
  expect(await resend(limits, id)).toHaveProperty("id");
  expect(await invite(limits, { userId: other })).toEqual(tooManyMails);
  expect(await resend(limits, id)).toEqual(tooManyMails);
  expect(team.mails).toHaveLength(3);
  const elsewhere = await team.newTenant();
  const stranger = await team.newMember(elsewhere, "owner");
  expect(await invite(limits, { to: elsewhere, userId: stranger })).toHaveProperty("id");
  testEnv.advance(23 * HOUR);
  expect(await invite(limits)).toHaveProperty("id");
});

it("a person sends a number of invite mails a day over all tenants, and a colleague as many", async () => {
  const limits = { personMails: 2 };
  const email = newEmail();
  const [second, userId] = [await team.newTenant(), await team.newMember(tenant, "admin", email)];
  await team.newMember(second, "admin", email);
  await newInvite(limits, { userId });
  await newInvite(limits, { userId, to: second });
  for (const to of [tenant, second]) expect(await invite(limits, { userId, to })).toEqual(tooManyMails);
  expect(await invite(limits)).toHaveProperty("id");
});

it("the limits of mails are exact for those of ten invites at once", async () => {
  for (const limits of [{ tenantMails: 3 }, { personMails: 6 }]) {
    const results = await Promise.all(Array.from({ length: 10 }, () => invite(limits).catch(() => null)));
    expect(results.filter((result) => result !== null && !isRefusal(result))).toHaveLength(3);
  }
});

it("an invite that is refused consumes nothing of its address", async () => {
  const email = newEmail();
  for (const limits of [{ pending: 0 }, { tenantMails: 0 }, { personMails: 0 }]) {
    for (let i = 0; i < 6; i++) expect(await invite(limits, { email })).toHaveProperty("refused");
  }
  expect(await invite({}, { email })).toHaveProperty("id");
});

eachFault("the limit of pending invites counts each once with a fault (%s) at any call", testEnv, async (interrupt) => {
  const place = await team.newTenant();
  const from = { to: place, userId: await team.newMember(place, "owner") };
  await interrupt(() => invite({ pending: 2 }, from));
  while (!isRefusal(await invite({ pending: 2 }, from)));
  expect((await team.ports.invites.list(place)).filter(({ expiresAt }) => expiresAt !== null)).toHaveLength(2);
});

const TENANT_LIMITS = { perOwner: 5, perDay: 2 };
const ownsTooMany = { refused: "workspace_limit" };
const madeTooMany = { refused: "workspace_day_limit", retryAfter: 23 * 3_600 };

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
