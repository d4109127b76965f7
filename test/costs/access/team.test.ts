import { beforeEach, expect, test } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { createInvite, listInvites, resendInvite, revokeInvite } from "#features/access/flows/team/invites.ts";
import { changeMemberRole, listMembers, removeMember } from "#features/access/flows/team/members.ts";
import { acceptOwnInvite, declineOwnInvite, listOwnInvites } from "#features/access/flows/team/own-invites.ts";
import type { Invite } from "#features/access/rules/team.ts";
import { changeTenant, createOwnTenant, getOwnTenant, listOwnTenants } from "#features/tenants/own-tenants.ts";
import { newEmail, openTeamEnv } from "../../features/access/flows/team/support/team.ts";
import { openTestEnv } from "../../support/flows/test-env.ts";
import { attachMeter } from "../../support/meter.ts";
import { openedOnce } from "../../support/opened.ts";
import { newTenant } from "../../support/stores/samples.ts";

let tenant: TenantId;
let owner: string;
// The exact costs of teams, invites and a person's tenants, as in docs/design/table-costs.md, without the session's read
// and the count of the request.

const testEnv = openedOnce(openTestEnv);
const team = openedOnce(() => openTeamEnv(testEnv));
const meter = openedOnce(() => attachMeter(testEnv.client, testEnv.table.name));
beforeEach(async () => {
  tenant = await team.newTenant();
  owner = await team.newMember(tenant, "owner");
});

async function cost(work: () => Promise<unknown>): Promise<{ wcu: number; rcu: number }> {
  const { wcu, rcu } = await meter.measure("work", work);
  return { wcu, rcu };
}
async function newInvite(email = newEmail()): Promise<Invite> {
  const invite = await createInvite(team.ports, { tenant, email, role: "agent", ...(await request()) });
  if (isRefusal(invite)) throw new Error(`The invite was refused: ${invite.refused}.`);
  return invite;
}
const request = async () => ({ author: await team.author(owner), now: testEnv.now() });

test("a change of role and a removal cost both sides, the audit row and the check of the acting member; the list of members is one read", async () => {
  const [agent, second] = [await team.newMember(tenant, "agent"), await team.newMember(tenant, "owner")];
  const by = { tenant, ...(await request()) };
  expect(await cost(() => listMembers(team.ports, tenant))).toEqual({ wcu: 0, rcu: 1 });
  // Both sides, the audit row and the check of the acting member; an owner is also counted.
  const change = (userId: string, role: "agent" | "admin") => () =>
    changeMemberRole(team.ports, { ...by, userId, role });
  expect(await cost(change(agent, "admin"))).toEqual({ wcu: 8, rcu: 1 });
  expect(await cost(change(agent, "admin"))).toEqual({ wcu: 0, rcu: 1 });
  expect(await cost(change(second, "agent"))).toEqual({ wcu: 10, rcu: 1 });
  // The number of the tenant's sockets is read before and after.
  expect(await cost(() => removeMember(team.ports, { ...by, userId: agent }))).toEqual({ wcu: 8, rcu: 3 });
});

test("an invite is created, listed, sent again and revoked", async () => {
  const by = { tenant, ...(await request()) };
  let invite: Invite | undefined;
  // The cap 1; the counts of pending invites, of the tenant's mails and of the person's 6; both sides, the audit row, the checks of the tenant and of the acting member. Reads: the session, the user
  // of the address, whether the address has a pending invite, and the three counts.
  const create = async () => {
    invite = await newInvite();
  };
  expect(await cost(create)).toEqual({ wcu: 17, rcu: 6 });
  expect(await cost(() => listInvites(team.ports, tenant, testEnv.now()))).toEqual({ wcu: 0, rcu: 1 });
  const inviteId = invite?.id ?? "";
  expect(await cost(() => resendInvite(team.ports, { ...by, inviteId }))).toEqual({ wcu: 15, rcu: 6 });
  const refused = () => createInvite(team.ports, { ...by, email: invite?.email ?? "", role: "agent" });
  expect(await cost(refused)).toEqual({ wcu: 0, rcu: 2 });
  expect(await cost(() => revokeInvite(team.ports, { ...by, inviteId }))).toEqual({ wcu: 8, rcu: 1 });
});

test("an address that accepts an invite at its sign-in, for the first time and later", async () => {
  const email = newEmail();
  const { id } = await newInvite(email);
  // The address and the user 2; the invite on both sides, the membership on both sides, the audit row, the check of the tenant 12.
  expect(await cost(() => team.signIn(email, team.ports, id))).toEqual({ wcu: 14, rcu: 3 });
  // The user 1; their address and its pending invites.
  expect(await cost(() => team.signIn(email))).toEqual({ wcu: 1, rcu: 2 });
});

test("an invite that waits for its person is bound by one sign-in, listed, accepted and declined", async () => {
  const email = newEmail();
  const userId = await team.newMember(tenant, "agent", email);
  const others = [await team.newTenant(), await team.newTenant()];
  const ids: string[] = [];
  for (const other of others) {
    const owner = await team.newMember(other, "owner");
    const author = await team.author(owner);
    const invite = await createInvite(team.ports, { tenant: other, email, role: "agent", author, now: testEnv.now() });
    if (isRefusal(invite)) throw new Error(invite.refused);
    ids.push(invite.id);
  }
  // The user 1; each invite 1. The address, its invites.
  expect(await cost(() => team.signIn(email))).toEqual({ wcu: 3, rcu: 2 });
  expect(await cost(() => team.signIn(email))).toEqual({ wcu: 1, rcu: 2 });
  const { author, now } = { author: await team.author(userId), now: testEnv.now() };
  // The address's invites; two tenants, two invites; two inviters, whose addresses may be stale.
  expect(await cost(() => listOwnInvites(team.ports, author.caller, now))).toEqual({ wcu: 0, rcu: 6 });
  const [first = "", second = ""] = ids;
  const accept = () => acceptOwnInvite(team.ports, { inviteId: first, author, now });
  expect(await cost(accept)).toEqual({ wcu: 12, rcu: 4 });
  expect(await cost(() => declineOwnInvite(team.ports, { inviteId: second, author, now }))).toEqual({ wcu: 6, rcu: 2 });
  expect(await cost(() => listOwnInvites(team.ports, author.caller, now))).toEqual({ wcu: 0, rcu: 1 });
});

test("a person's tenants are listed for two read units, and a new one costs ten write units", async () => {
  const { author, now } = await request();
  const { caller } = author;
  // The tenant and the membership.
  expect(await cost(() => listOwnTenants(team.ports, caller))).toEqual({ wcu: 0, rcu: 2 });
  expect(await cost(() => getOwnTenant(team.ports, { slug: tenant, caller }))).toEqual({ wcu: 0, rcu: 1 });
  const rename = () => changeTenant(team.ports, { slug: tenant, change: { name: "Store" }, author, now });
  expect(await cost(rename)).toEqual({ wcu: 6, rcu: 1 });
  const ports = { ...team.ports, isSignUpOpen: true };
  const create = () => createOwnTenant(ports, { id: newTenant(), name: "Shop", author, now });
  // The tenant, the audit row, the membership on both sides, and the user, who is read with the memberships.
  expect(await cost(create)).toEqual({ wcu: 10, rcu: 2 });
});
