import { expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import { DAY, MINUTE } from "#base/kernel/time.ts";
import { createInvite, resendInvite, revokeInvite } from "#features/access/flows/team/invites.ts";
import { removeMember } from "#features/access/flows/team/members.ts";
import { eachFault } from "../../../../support/flows/fault-injection.ts";
import { refused, useInvites } from "./support/invites.ts";
import { newEmail } from "./support/team.ts";

const { invite, list, mailedInvites, newInvite, nextWindow, resend, revoke, team, testEnv, workspace } = useInvites();

it("an invite is listed, mailed and recorded, and its address becomes a member at its next sign-in", async () => {
  const email = newEmail();
  testEnv.advance(1);
  const created = await newInvite(email, "admin");
  expect(created).toEqual({
    id: expect.stringMatching(/^inv_[0-9A-Z]{26}$/),
    tenant: workspace.tenant,
    email,
    role: "admin",
    status: "pending",
    invitedBy: `console:${workspace.owner}`,
    createdAt: testEnv.now(),
    expiresAt: testEnv.now() + 7 * DAY,
    acceptedAt: null,
  });
  expect(await list()).toContainEqual(created);
  expect(mailedInvites()).toContain(created.id);
  expect(team.mails.join()).not.toContain(email);
  testEnv.advance(7 * DAY - 1);
  const userId = await team.signIn(email);
  expect(await team.roles(workspace.tenant)).toMatchObject({ [userId]: "admin" });
  expect(await list()).toContainEqual({ ...created, status: "accepted", acceptedAt: testEnv.now() });
  const [accepted] = await team.audits(workspace.tenant, "invite.accept");
  expect(accepted).toMatchObject({ actor: `console:${userId}`, resource: `invite:${created.id}`, ip: "192.0.2.1" });
  const audits = await team.audits(workspace.tenant, "invite.create");
  expect(audits[0]).toMatchObject({
    actor: `console:${workspace.owner}`,
    resource: `invite:${created.id}`,
    detail: { role: "admin" },
  });
  expect(JSON.stringify(audits)).not.toContain(email);
});

it("an invite gives no access seven days later", async () => {
  const { email } = await newInvite();
  testEnv.advance(7 * DAY);
  const userId = await team.signIn(email);
  expect((await team.author(userId)).caller.memberships).toEqual([]);
});

it("an invite is created by admins, and that of an owner by owners", async () => {
  const agent = await team.newMember(workspace.tenant, "agent");
  expect(await invite(newEmail(), { by: agent })).toEqual(refused("role_forbidden"));
  expect(await invite(newEmail(), { by: workspace.admin, role: "owner" })).toEqual(refused("role_forbidden"));
  const created = await newInvite(newEmail(), "owner");
  expect(await resend(created.id, workspace.admin)).toEqual(refused("role_forbidden"));
  expect(await resend(created.id, workspace.owner)).toMatchObject({ id: created.id });
  expect(await revoke(created.id, agent)).toEqual(refused("role_forbidden"));
  expect(await revoke(created.id, workspace.admin)).toBeNull();
});

it("an invite of an invited address or of a member is refused, and of another tenant's member is not", async () => {
  const { email } = await newInvite();
  expect(await invite(email)).toEqual(refused("invite_exists"));
  const member = await team.author(workspace.admin);
  expect(await invite(member.caller.email)).toEqual(refused("invite_exists"));
  workspace.tenant = await team.newTenant();
  workspace.owner = await team.newMember(workspace.tenant, "owner");
  expect(await invite(member.caller.email, { by: workspace.owner })).toMatchObject({ email: member.caller.email });
});

it("an invite is one of ten that are sent to an address at once", async () => {
  const email = newEmail();
  const results = await Promise.all(Array.from({ length: 10 }, () => invite(email)));
  expect(results.filter((result) => !isRefusal(result))).toHaveLength(1);
  expect((await list()).filter((one) => one.email === email)).toHaveLength(1);
});

it("an invite counts its mails in the address's cap", async () => {
  const { id, email } = await newInvite();
  for (let n = 0; n < 4; n++) expect(await resend(id)).toMatchObject({ id });
  const [mails, refusal] = [mailedInvites().length, await resend(id)];
  const untilNextWindow = Math.ceil((15 * MINUTE - (testEnv.now() % (15 * MINUTE))) / 1000);
  expect(refusal).toEqual({ refused: "sign_in_limit", retryAfter: untilNextWindow });
  expect(mailedInvites()).toHaveLength(mails);
  await revoke(id);
  expect(await invite(email)).toMatchObject(refused("sign_in_limit"));
  nextWindow();
  expect(await invite(email)).toMatchObject({ email });
});

it("an invite that is refused counts no mail, also when it is sent again", async () => {
  const [agent, email] = [await team.newMember(workspace.tenant, "agent"), newEmail()];
  const expired = await newInvite(email);
  testEnv.advance(7 * DAY);
  const { id } = await newInvite(email);
  for (let n = 0; n < 6; n++) {
    expect(await invite(email)).toEqual(refused("invite_exists"));
    expect(await resend(expired.id)).toEqual(refused("invite_exists"));
    expect(await invite(email, { by: agent })).toEqual(refused("role_forbidden"));
    expect(await resend(id, agent)).toEqual(refused("role_forbidden"));
    expect(await invite((await team.author(workspace.admin)).caller.email)).toEqual(refused("invite_exists"));
  }
  for (let n = 0; n < 4; n++) expect(await resend(id)).toMatchObject({ id });
  expect(await resend(id)).toMatchObject(refused("sign_in_limit"));
  expect(await invite(email)).toEqual(refused("invite_exists"));
  const userId = await team.signIn(email);
  expect(await resend(expired.id)).toEqual(refused("invite_exists"));
  expect(await team.roles(workspace.tenant)).toMatchObject({ [userId]: "agent" });
});

it("an invite by a member who is removed at the same time is not created", async () => {
  const underWay = await team.author(workspace.admin);
  const request = {
    tenant: workspace.tenant,
    userId: workspace.admin,
    author: await team.author(workspace.owner),
    now: testEnv.now(),
  };
  expect(await removeMember(team.ports, request)).toBeNull();
  const late = {
    tenant: workspace.tenant,
    email: newEmail(),
    role: "agent",
    author: underWay,
    now: testEnv.now(),
  } as const;
  expect(await createInvite(team.ports, late)).toEqual(refused("role_forbidden"));
  const { id } = await newInvite();
  const byRemoved = { tenant: workspace.tenant, inviteId: id, author: underWay, now: testEnv.now() };
  expect(await resendInvite(team.ports, byRemoved)).toEqual(refused("role_forbidden"));
  expect(await revokeInvite(team.ports, byRemoved)).toEqual(refused("role_forbidden"));
  expect((await list()).filter(({ status }) => status === "pending")).toHaveLength(1);
});

it("an invite that is sent again lives seven days from then, also after it expired", async () => {
  const created = await newInvite();
  testEnv.advance(9 * DAY);
  const resent = { ...created, expiresAt: testEnv.now() + 7 * DAY };
  expect(await resend(created.id)).toEqual(resent);
  expect(await list()).toContainEqual(resent);
  expect(mailedInvites().filter((id) => id === created.id)).toHaveLength(2);
  const [again] = await team.audits(workspace.tenant, "invite.create");
  expect(again).toMatchObject({ resource: `invite:${created.id}`, detail: { role: "agent", resent: true } });
  expect(await invite(created.email)).toEqual(refused("invite_exists"));
});

it("an invite that is sent again was neither revoked nor accepted", async () => {
  const [revoked, accepted] = [await newInvite(), await newInvite()];
  await revoke(revoked.id);
  await team.signIn(accepted.email);
  for (const { id } of [revoked, accepted]) expect(await resend(id)).toEqual(refused("invite_not_found"));
  expect(await revoke(accepted.id)).toEqual(refused("invite_not_found"));
  expect(await revoke(revoked.id)).toBeNull();
  expect(await team.audits(workspace.tenant, "invite.revoke")).toHaveLength(1);
});

it("an invite that is sent again is not unknown, malformed or another tenant's", async () => {
  const other = await newInvite();
  workspace.tenant = await team.newTenant();
  workspace.owner = await team.newMember(workspace.tenant, "owner");
  for (const id of [other.id, "inv_x", "", other.id.slice(4), other.id.toLowerCase()]) {
    expect(await resend(id, workspace.owner)).toEqual(refused("invite_not_found"));
    expect(await revoke(id, workspace.owner)).toEqual(refused("invite_not_found"));
  }
});

it("an invite that is sent again is refused once the address has a newer one", async () => {
  const created = await newInvite();
  testEnv.advance(7 * DAY);
  const newer = await newInvite(created.email);
  expect(await resend(created.id)).toEqual(refused("invite_exists"));
  expect(await revoke(created.id)).toBeNull();
  const userId = await team.signIn(created.email);
  expect(await team.roles(workspace.tenant)).toMatchObject({ [userId]: newer.role });
});

it("a fault of the queue leaves an invite without a mail, which its address accepts all the same", async () => {
  const email = newEmail();
  const mails = { send: () => Promise.reject(new Error("The queue fails.")) };
  const request = {
    tenant: workspace.tenant,
    email,
    role: "agent",
    author: await team.author(workspace.admin),
    now: testEnv.now(),
  } as const;
  await expect(createInvite({ ...team.ports, mails }, request)).rejects.toThrow("The queue fails.");
  const [stored] = (await list()).filter((one) => one.email === email);
  expect(stored).toMatchObject({ status: "pending" });
  expect(mailedInvites()).not.toContain(stored?.id);
  const userId = await team.signIn(email);
  expect(await team.roles(workspace.tenant)).toMatchObject({ [userId]: "agent" });
});

eachFault(
  "a fault (%s) at any call leaves one invite, which can be sent again",
  testEnv,
  async (interrupt, { faultPoint }) => {
    const email = newEmail();
    const author = await team.author(workspace.admin);
    const request = { tenant: workspace.tenant, email, role: "agent", author, now: testEnv.now() } as const;
    const answer = await interrupt(() => createInvite(team.ports, request));
    if (faultPoint === "lost") expect(answer).toMatchObject({ email });
    const again = await createInvite(team.ports, request);
    expect(again).toMatchObject(answer === null && "email" in again ? { email } : refused("invite_exists"));
    const [stored, ...others] = (await list()).filter((one) => one.email === email);
    expect(others).toEqual([]);
    const id = stored?.id ?? "";
    if (answer !== null) expect(mailedInvites()).toContain(id);
    // After a crash between the invite and its mail only this sends one.
    const mails = mailedInvites().length;
    expect(await resend(id)).toMatchObject({ email });
    expect(mailedInvites().slice(mails)).toEqual([id]);
    const userId = await team.signIn(email);
    expect(await team.roles(workspace.tenant)).toMatchObject({ [userId]: "agent" });
  },
);

eachFault("an invite is revoked once despite a fault (%s) at any call", testEnv, async (interrupt, { faultPoint }) => {
  const { id, email } = await newInvite();
  const before = (await team.audits(workspace.tenant, "invite.revoke")).length;
  const author = await team.author(workspace.admin);
  const request = { tenant: workspace.tenant, inviteId: id, author, now: testEnv.now() };
  const answer = await interrupt(() => revokeInvite(team.ports, request).catch(() => "crashed"));
  if (faultPoint === "lost") expect(answer).toBeNull();
  expect(await revokeInvite(team.ports, request)).toBeNull();
  expect(await team.audits(workspace.tenant, "invite.revoke")).toHaveLength(before + 1);
  const userId = await team.signIn(email);
  expect((await team.author(userId)).caller.memberships).toEqual([]);
});
