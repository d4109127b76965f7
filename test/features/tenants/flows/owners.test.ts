import { beforeEach, expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY } from "#base/kernel/time.ts";
import { createInvite, listInvites } from "#features/access/flows/team/invites.ts";
import { nameOwner } from "#features/tenants/flows/owners.ts";
import { createTenant } from "#features/tenants/flows/tenants.ts";
import { eachFault } from "../../../support/flows/fault-injection.ts";
import { newTenant } from "../../../support/stores/samples.ts";
import { newEmail, useTeam } from "../../access/flows/team/support/team.ts";

let tenant: TenantId;
/** The address with which the operator created the tenant. */
let mistyped: string;
const { testEnv, team } = useTeam();
beforeEach(async () => {
  ({ tenant, mistyped } = await newTenantOf(newEmail()));
});

async function newTenantOf(ownerEmail: string) {
  const slug = newTenant();
  await createTenant(team.ports, slug, { name: "Shop", ownerEmail, author: { actor: "cli" } }, testEnv.now());
  return { tenant: slug, mistyped: ownerEmail };
}
const author = { actor: "cli" };
const name = (email: string, of = tenant) => nameOwner(team.ports, { tenant: of, email, author, now: testEnv.now() });
const pendingEmails = async () =>
  (await listInvites(team.ports, tenant, testEnv.now())).flatMap(({ status, email }) =>
    status === "pending" ? [email] : [],
  );

it("naming an owner of an existing tenant replaces a mistyped one, who gets no access any more", async () => {
  const right = newEmail();
  expect(await name(right)).toEqual({ outcome: "invited", revoked: 1 });
  expect(await pendingEmails()).toEqual([right]);
  expect(await team.ports.tenants.get(tenant)).toMatchObject({ ownerEmail: right });
  testEnv.advance(100 * DAY);
  const [stranger, owner] = [await team.signIn(mistyped), await team.signIn(right)];
  expect(await team.roles(tenant)).toEqual({ [owner]: "owner" });
  expect((await team.author(stranger)).caller.memberships).toEqual([]);
  const entry = { actor: "cli", ip: null, detail: { role: "owner" } };
  expect(await team.audits(tenant, "invite.create")).toMatchObject([entry, entry]);
  expect(await team.audits(tenant, "invite.revoke")).toMatchObject([entry]);
});

it("naming an owner of an existing tenant again changes nothing", async () => {
  const right = newEmail();
  await name(right);
  expect(await name(right)).toEqual({ outcome: "already_invited", revoked: 0 });
  const owner = await team.signIn(right);
  expect(await name(right)).toEqual({ outcome: "already_owner", revoked: 0 });
  expect(await team.roles(tenant)).toEqual({ [owner]: "owner" });
  expect(await team.audits(tenant, "invite.create")).toHaveLength(2);
});

it.each(["agent", "admin"] as const)(
  "naming an owner of an existing tenant makes an owner of a member who is %s",
  async (role) => {
    await team.signIn(mistyped);
    const member = await team.newMember(tenant, role);
    const { email } = (await team.author(member)).caller;
    expect(await name(email)).toEqual({ outcome: "promoted", revoked: 0 });
    expect(await team.roles(tenant)).toMatchObject({ [member]: "owner" });
    expect((await team.author(member)).caller.memberships).toMatchObject([{ role: "owner" }]);
    expect(await team.audits(tenant, "member.role_change")).toMatchObject([
      { actor: "cli", resource: `user:${member}`, detail: { role: "owner", previous_role: role } },
    ]);
  },
);

it("naming an owner of an existing tenant makes an owner of an address that an admin invited with another role, and leaves other invites", async () => {
  const [email, other] = [newEmail(), newEmail()];
  const author = await team.author(await team.newMember(tenant, "admin"));
  for (const address of [email, other]) {
    const request = { tenant, email: address, role: "agent", author, now: testEnv.now() } as const;
    if (isRefusal(await createInvite(team.ports, request))) throw new Error("The invite was refused.");
  }
  expect(await name(email)).toEqual({ outcome: "invited", revoked: 2 });
  expect((await pendingEmails()).sort()).toEqual([email, other].sort());
  const owner = await team.signIn(email);
  expect(await team.roles(tenant)).toMatchObject({ [owner]: "owner" });
});

it("naming an owner of an existing tenant of a tenant that does not exist is refused without a trace", async () => {
  const [slug, email] = [newTenant(), newEmail()];
  expect(await name(email, slug)).toEqual({ refused: "tenant_not_found" });
  expect(await listInvites(team.ports, slug, testEnv.now())).toEqual([]);
});

eachFault(
  "naming an owner of an existing tenant with a fault (%s) at any call is completed by the next run",
  testEnv,
  async (interrupt, { faultPoint }) => {
    ({ tenant, mistyped } = await newTenantOf(newEmail()));
    const right = newEmail();
    const answer = await interrupt(() => name(right));
    if (faultPoint === "lost") expect(answer).toMatchObject({ outcome: "invited" });
    expect(await name(right)).toMatchObject({
      outcome: expect.stringMatching(/invited$/),
      revoked: expect.any(Number),
    });
    expect(await pendingEmails()).toEqual([right]);
    expect(await team.audits(tenant, "invite.create")).toHaveLength(2);
    expect(await team.audits(tenant, "invite.revoke")).toHaveLength(1);
    const owner = await team.signIn(right);
    expect(await team.roles(tenant)).toEqual({ [owner]: "owner" });
  },
);

it("naming an owner of an existing tenant while the mistyped one signs in ends with one of the two outcomes", async () => {
  for (let round = 0; round < 10; round++) {
    ({ tenant, mistyped } = await newTenantOf(newEmail()));
    const right = newEmail();
    const [stranger, result] = await Promise.all([team.signIn(mistyped), name(right)]);
    const isOwner = stranger in (await team.roles(tenant));
    expect(result).toEqual({ outcome: "invited", revoked: isOwner ? 0 : 1 });
    const owner = await team.signIn(right);
    expect(await team.roles(tenant)).toMatchObject({ [owner]: "owner" });
  }
});
