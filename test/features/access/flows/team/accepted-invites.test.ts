import { expect, it } from "vitest";
import { DAY } from "#base/kernel/time.ts";
import { listInvites } from "#features/access/flows/team/invites.ts";
import { removeMember } from "#features/access/flows/team/members.ts";
import { setTenantStatus } from "#features/tenants/flows/tenant-status.ts";
import { createTenant } from "#features/tenants/flows/tenants.ts";
import { eachFault } from "../../../../support/flows/fault-injection.ts";
import { newTenant } from "../../../../support/stores/samples.ts";
import { refused, useInvites } from "./support/invites.ts";
import { newEmail } from "./support/team.ts";

const { list, newInvite, revoke, team, testEnv, workspace } = useInvites();

const remove = async (userId: string) =>
  removeMember(team.ports, {
    tenant: workspace.tenant,
    userId,
    author: await team.author(userId),
    now: testEnv.now(),
  });

it("an acceptance and a revocation of an invite at the same time have one end", async () => {
  for (let round = 0; round < 10; round++) {
    const { id, email } = await newInvite();
    const [userId, revoked] = await Promise.all([team.signIn(email), revoke(id)]);
    const isMember = userId in (await team.roles(workspace.tenant));
    expect([revoked === null, isMember].filter(Boolean)).toHaveLength(1);
    const status = (await list()).find((one) => one.id === id)?.status;
    expect(status).toBe(isMember ? "accepted" : "revoked");
  }
});

it("an accepted invite of a suspended tenant gives a suspended membership, which ends with the suspension", async () => {
  const setStatus = (status: "active" | "suspended") =>
    setTenantStatus(team.ports, workspace.tenant, { status, author: { actor: "cli" } }, testEnv.now());
  for (let round = 0; round < 10; round++) {
    const { email } = await newInvite(newEmail(), round % 2 === 0 ? "agent" : "owner");
    const [userId] = await Promise.all([team.signIn(email), setStatus("suspended")]);
    expect((await team.author(userId)).caller.memberships, `round ${round}`).toMatchObject([{ isSuspended: true }]);
    await setStatus("active");
    expect((await team.author(userId)).caller.memberships, `round ${round}`).toMatchObject([{ isSuspended: false }]);
  }
});

eachFault(
  "an accepted invite is accepted once with a fault (%s) at any call of the sign-in",
  testEnv,
  async (interrupt) => {
    const { email } = await newInvite(newEmail(), "owner");
    const before = (await team.audits(workspace.tenant, "invite.accept")).length;
    await interrupt(() => team.signIn(email));
    const userId = await team.signIn(email);
    expect(await team.roles(workspace.tenant)).toMatchObject({ [userId]: "owner" });
    expect(await team.audits(workspace.tenant, "invite.accept")).toHaveLength(before + 1);
    expect(await remove(userId)).toBeNull();
    // The number of owners is exact: the first one is the last.
    expect(await remove(workspace.owner)).toEqual(refused("last_owner"));
  },
);

it("the owner whom the operator names is invited without an expiry, in the transaction that creates the tenant", async () => {
  const [slug, email] = [newTenant(), newEmail()];
  const settings = { name: "Shop", ownerEmail: email, author: { actor: "cli" } };
  expect(await createTenant(team.ports, slug, settings, testEnv.now())).toBe(true);
  expect(await createTenant(team.ports, slug, { ...settings, ownerEmail: newEmail() }, testEnv.now())).toBe(false);
  expect(await listInvites(team.ports, slug, testEnv.now())).toMatchObject([
    { email, role: "owner", status: "pending", invitedBy: "cli", expiresAt: null },
  ]);
  expect(await team.audits(slug, "invite.create")).toMatchObject([
    { actor: "cli", ip: null, detail: { role: "owner" } },
  ]);
  testEnv.advance(100 * DAY);
  const userId = await team.signIn(email);
  expect(await team.roles(slug)).toEqual({ [userId]: "owner" });
  testEnv.advance(90 * DAY);
  expect(await listInvites(team.ports, slug, testEnv.now())).toEqual([]);
});

eachFault(
  "the owner whom the operator names is invited by the next run of a command with a fault (%s) at any call",
  testEnv,
  async (interrupt, { faultPoint }) => {
    const [slug, email] = [newTenant(), newEmail()];
    const settings = { name: "Shop", ownerEmail: email, author: { actor: "cli" } };
    const answer = await interrupt(() => createTenant(team.ports, slug, settings, testEnv.now()));
    if (faultPoint === "lost") expect(answer).toBe(true);
    await createTenant(team.ports, slug, settings, testEnv.now());
    const userId = await team.signIn(email);
    expect(await team.roles(slug)).toEqual({ [userId]: "owner" });
    expect(await team.audits(slug, "tenant.create")).toHaveLength(1);
  },
);
