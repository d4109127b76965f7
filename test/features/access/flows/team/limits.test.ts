import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, HOUR, startOfDay } from "#base/kernel/time.ts";
import { createInvite, resendInvite, revokeInvite } from "#features/access/flows/team/invites.ts";
import { type InviteLimits, inviteCountStore } from "#features/access/store/invite-counts.ts";
import { eachFault } from "../../../../support/flows/fault-injection.ts";
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
