import { expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import { DAY } from "#base/kernel/time.ts";
import { acceptOwnInvite, declineOwnInvite, listOwnInvites } from "#features/access/flows/team/own-invites.ts";
import type { Role } from "#features/access/rules/callers.ts";
import { eachFault } from "../../../../support/flows/fault-injection.ts";
import { refused, useInvites } from "./support/invites.ts";
import { newEmail } from "./support/team.ts";

const { list, newInvite, nextWindow, resend, revoke, team, testEnv, workspace } = useInvites();

/** An invite of the address to another new tenant. */
async function inviteElsewhere(email: string) {
  nextWindow();
  workspace.tenant = await team.newTenant();
  workspace.owner = await team.newMember(workspace.tenant, "owner");
  workspace.admin = workspace.owner;
  return newInvite(email);
}

/** An invite that waits for a member of another tenant. */
async function newWaiting(role: Role = "agent") {
  const email = newEmail();
  const userId = await team.newMember(await team.newTenant(), "agent", email);
  const invite = await newInvite(email, role);
  await team.signIn(email);
  return { ...invite, userId };
}

const tenantsOf = async (userId: string) =>
  (await team.author(userId)).caller.memberships.map(({ tenant }) => tenant).sort();
const waiting = async (userId: string) =>
  (await listOwnInvites(team.ports, (await team.author(userId)).caller, testEnv.now())).map(({ id }) => id);
const accept = async (userId: string, inviteId: string) =>
  acceptOwnInvite(team.ports, { inviteId, author: await team.author(userId), now: testEnv.now() });
const decline = async (userId: string, inviteId: string) =>
  declineOwnInvite(team.ports, { inviteId, author: await team.author(userId), now: testEnv.now() });

it.each([
  { memberships: 0, invites: 1, named: false, accepted: [0] },
  { memberships: 0, invites: 1, named: true, accepted: [0] },
  { memberships: 0, invites: 3, named: false, accepted: [] },
  { memberships: 0, invites: 3, named: true, accepted: [0] },
  { memberships: 1, invites: 1, named: false, accepted: [] },
  { memberships: 1, invites: 1, named: true, accepted: [0] },
  { memberships: 1, invites: 3, named: false, accepted: [] },
  { memberships: 2, invites: 1, named: false, accepted: [] },
  { memberships: 2, invites: 3, named: true, accepted: [0] },
])(
  "a sign-in of the person %j accepts one invite at most, and lets the others wait",
  async ({ memberships, invites, named, accepted }) => {
    const email = newEmail();
    const before: string[] = [];
    for (let n = 0; n < memberships; n++) {
      before.push(await team.newTenant());
      await team.newMember(before[n] as never, "agent", email);
    }
    const created = [];
    for (let n = 0; n < invites; n++) created.push(await inviteElsewhere(email));
    const userId = await team.signIn(email, team.ports, named ? (created[0]?.id ?? "") : null);
    const isAccepted = (_: unknown, n: number) => (accepted as readonly number[]).includes(n);
    expect(await tenantsOf(userId)).toEqual(
      [...before, ...created.filter(isAccepted).map(({ tenant }) => tenant)].sort(),
    );
    const others = created.filter((invite, n) => !isAccepted(invite, n));
    expect((await waiting(userId)).sort()).toEqual(others.map(({ id }) => id).sort());
    for (const { id, tenant } of others) expect(await accept(userId, id)).toMatchObject({ tenant, userId });
    expect(await waiting(userId)).toEqual([]);
  },
);

it("a sign-in accepts no invite of another address, or that has ended, although the link names it", async () => {
  const [email, other] = [newEmail(), newEmail()];
  const theirs = await newInvite(other);
  const ended = await inviteElsewhere(email);
  await revoke(ended.id);
  for (const id of [theirs.id, ended.id, "inv_unknown"]) {
    const userId = await team.signIn(email, team.ports, id);
    expect([await tenantsOf(userId), await waiting(userId)]).toEqual([[], []]);
  }
});

it("a sign-in binds 20 invites, the operator's and the newest first, and the next sign-in the others", async () => {
  const email = newEmail();
  const created = [];
  for (let n = 0; n < 22; n++) created.push(await inviteElsewhere(email));
  const userId = await team.signIn(email);
  const ids = created.map(({ id }) => id);
  expect((await waiting(userId)).sort()).toEqual(ids.slice(2).sort());
  await team.signIn(email);
  expect((await waiting(userId)).sort()).toEqual(ids.toSorted());
});

it("a sign-in binds the others where one invite fails, and the next one binds it", async () => {
  const email = newEmail();
  const [one, other] = [await newInvite(email), await inviteElsewhere(email)];
  const { ports } = team;
  const bind: typeof ports.invites.bind = (invite, userId) =>
    invite.inviteId === one.id ? Promise.reject(new Error("A fault.")) : ports.invites.bind(invite, userId);
  const userId = await team.signIn(email, { ...ports, invites: { ...ports.invites, bind } });
  expect(await waiting(userId)).toEqual([other.id]);
  expect(testEnv.lines).toContainEqual({ event: "invites.claim_failed", error: "Error" });
  await team.signIn(email);
  expect((await waiting(userId)).sort()).toEqual([one.id, other.id].sort());
});

it("an invite that waits names the tenant, the role and who invited", async () => {
  const email = newEmail();
  const userId = await team.newMember(await team.newTenant(), "agent", email);
  const { id, tenant, expiresAt } = await newInvite(email);
  const inviter = (await team.author(workspace.owner)).caller.email;
  await team.signIn(email);
  const { caller } = await team.author(userId);
  expect(await listOwnInvites(team.ports, caller, testEnv.now())).toEqual([
    {
      id,
      tenant,
      name: "Shop",
      role: "agent",
      invitedBy: `console:${workspace.owner}`,
      inviterEmail: inviter,
      expiresAt,
    },
  ]);
});

it("an invite that waits is not there for a running session: fifty invites of strangers change nothing that it reads", async () => {
  const email = newEmail();
  const userId = await team.newMember(workspace.tenant, "agent", email);
  await inviteElsewhere(email);
  await team.signIn(email);
  const [before, invitesBefore] = [await team.author(userId), await waiting(userId)];
  for (let n = 0; n < 50; n++) await inviteElsewhere(email);
  expect([await team.author(userId), await waiting(userId)]).toEqual([before, invitesBefore]);
});

it("an invite that waits is not found by a session that found an earlier one of the tenant", async () => {
  const email = newEmail();
  const userId = await team.newMember(await team.newTenant(), "agent", email);
  await newInvite(email);
  await team.signIn(email);
  testEnv.advance(7 * DAY);
  await newInvite(email);
  expect(await waiting(userId)).toEqual([]);
});

it("an invite that waits stays in its place when it is sent again", async () => {
  const { userId, id } = await newWaiting();
  nextWindow();
  await resend(id, workspace.owner);
  expect(await waiting(userId)).toEqual([id]);
});

it("an invite that waits is no one else's: to another person, and before a sign-in found it, it is unknown", async () => {
  const email = newEmail();
  const userId = await team.newMember(await team.newTenant(), "agent", email);
  const stranger = await team.newMember(await team.newTenant(), "agent");
  const { id } = await newInvite(email);
  for (const answer of [accept, decline]) expect(await answer(userId, id)).toEqual(refused("invite_not_found"));
  await team.signIn(email);
  for (const answer of [accept, decline]) {
    expect(await answer(stranger, id)).toEqual(refused("invite_not_found"));
    expect(await answer(userId, "inv_unknown")).toEqual(refused("invite_not_found"));
  }
  expect(await waiting(userId)).toEqual([id]);
});

it("an invite that waits is accepted once, with an audit row of its person; a repeated request returns the membership", async () => {
  const { userId, id, tenant } = await newWaiting("admin");
  const results = await Promise.all(Array.from({ length: 5 }, () => accept(userId, id)));
  results.push(await accept(userId, id));
  for (const result of results) expect(result).toMatchObject({ tenant, userId, role: "admin" });
  const rows = (await team.audits(tenant, "invite.accept")).filter(({ resource }) => resource === `invite:${id}`);
  expect(rows).toMatchObject([{ actor: `console:${userId}`, detail: { role: "admin" }, ip: "192.0.2.1" }]);
  expect((await list()).find((invite) => invite.id === id)?.status).toBe("accepted");
});

it("an invite that waits is declined once, with an audit row, and its address can be invited again", async () => {
  const { email, userId, id, tenant } = await newWaiting();
  expect(await decline(userId, id)).toBeNull();
  expect(await decline(userId, id)).toEqual(refused("invite_not_found"));
  expect(await accept(userId, id)).toEqual(refused("invite_not_found"));
  expect(await team.audits(tenant, "invite.decline")).toMatchObject([
    { actor: `console:${userId}`, resource: `invite:${id}`, detail: { role: "agent" }, ip: null },
  ]);
  expect((await list()).find((invite) => invite.id === id)?.status).toBe("declined");
  expect(await revoke(id, workspace.owner)).toEqual(refused("invite_not_found"));
  expect(await tenantsOf(userId)).not.toContain(tenant);
  nextWindow();
  await newInvite(email);
});

it("an invite that waits has one end when it is accepted, declined and revoked at the same time", async () => {
  for (let round = 0; round < 10; round++) {
    nextWindow();
    const { userId, id, tenant } = await newWaiting();
    const answers = await Promise.all([accept(userId, id), decline(userId, id), revoke(id, workspace.owner)]);
    const [isAccepted, isDeclined, isRevoked] = answers.map((answer) => !isRefusal(answer));
    expect([isAccepted, isDeclined, isRevoked].filter(Boolean), `round ${round}`).toHaveLength(1);
    expect((await tenantsOf(userId)).includes(tenant)).toBe(isAccepted);
    const status = (await list()).find((invite) => invite.id === id)?.status;
    expect(status).toBe(isAccepted ? "accepted" : isDeclined ? "declined" : "revoked");
  }
});

it("an invite that waits ends with its seven days", async () => {
  const { userId, id } = await newWaiting();
  testEnv.advance(7 * DAY - 1);
  expect(await waiting(userId)).toEqual([id]);
  testEnv.advance(1);
  expect(await waiting(userId)).toEqual([]);
  for (const answer of [accept, decline]) expect(await answer(userId, id)).toEqual(refused("invite_not_found"));
});

for (const [name, answer] of Object.entries({ accept, decline })) {
  eachFault(`an invite that waits has one end with a fault (%s) at any call: ${name}`, testEnv, async (interrupt) => {
    nextWindow();
    const { userId, id, tenant } = await newWaiting();
    await interrupt(() => answer(userId, id));
    await answer(userId, id);
    const isMember = (await tenantsOf(userId)).includes(tenant);
    const status = (await list()).find((invite) => invite.id === id)?.status;
    expect([isMember, status]).toEqual(name === "accept" ? [true, "accepted"] : [false, "declined"]);
    const rows = (await team.audits(tenant, `invite.${name as "accept" | "decline"}`)).filter(
      ({ resource }) => resource === `invite:${id}`,
    );
    expect(rows).toHaveLength(1);
    // No row by address is left.
    expect(await waiting(userId)).toEqual([]);
  });
}
