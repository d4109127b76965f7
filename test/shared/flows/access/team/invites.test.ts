import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Role } from "../../../../../shared/domain/access/roles.ts";
import type { Invite } from "../../../../../shared/domain/access/team.ts";
import {
  createInvite,
  listInvites,
  resendInvite,
  revokeInvite,
} from "../../../../../shared/flows/access/team/invites.ts";
import { removeMember } from "../../../../../shared/flows/access/team/members.ts";
import { setTenantStatus } from "../../../../../shared/flows/access/tenant-status.ts";
import { createTenant } from "../../../../../shared/flows/access/tenants.ts";
import { isRefusal } from "../../../../../shared/kernel/refusals.ts";
import type { TenantId } from "../../../../../shared/kernel/tenant.ts";
import { DAY, MINUTE } from "../../../../../shared/kernel/time.ts";
import { decodeMail } from "../../../../../shared/queues/mails.ts";
import { newTenant } from "../../../stores/support/samples.ts";
import { FAULT_STEP, faultPoints, firstFault, injectFaultAt } from "../../support/fault-injection.ts";
import { openTestEnv, type TestEnv } from "../../support/test-env.ts";
import { newEmail, openTeamEnv, type TeamEnv } from "./support/team.ts";

let testEnv: TestEnv;
let team: TeamEnv;
let tenant: TenantId;
let owner: string;
let admin: string;
beforeAll(async () => {
  testEnv = await openTestEnv();
  team = openTeamEnv(testEnv);
});
afterAll(() => testEnv.close());
beforeEach(async () => {
  tenant = await team.newTenant();
  owner = await team.newMember(tenant, "owner");
  admin = await team.newMember(tenant, "admin");
});

const refused = (reason: string) => ({ refused: reason });
async function invite(email: string, { by = admin, role = "agent" }: { by?: string; role?: Role } = {}) {
  return createInvite(team.ports, { tenant, email, role, acting: await team.acting(by), now: testEnv.now() });
}
async function newInvite(email = newEmail(), role: Role = "agent"): Promise<Invite> {
  const created = await invite(email, { by: owner, role });
  if (isRefusal(created)) throw new Error(`The invite was refused: ${created.refused}.`);
  return created;
}
async function resend(inviteId: string, by = admin) {
  return resendInvite(team.ports, { tenant, inviteId, acting: await team.acting(by), now: testEnv.now() });
}
async function revoke(inviteId: string, by = admin) {
  return revokeInvite(team.ports, { tenant, inviteId, acting: await team.acting(by), now: testEnv.now() });
}
const list = () => listInvites(team.ports, tenant, testEnv.now());
const mailedInvites = () =>
  team.mails.map(decodeMail).flatMap((mail) => (mail?.kind === "invite" ? [mail.inviteId] : []));
/** What an end of the sign-in window allows again. */
const nextWindow = () => testEnv.advance(15 * MINUTE);

describe("an invite", () => {
  it("is listed, mailed and recorded, and its address becomes a member at its next sign-in", async () => {
    const email = newEmail();
    testEnv.advance(1);
    const created = await newInvite(email, "admin");
    expect(created).toEqual({
      id: expect.stringMatching(/^inv_[0-9A-Z]{26}$/),
      tenant,
      email,
      role: "admin",
      status: "pending",
      invitedBy: `console:${owner}`,
      createdAt: testEnv.now(),
      expiresAt: testEnv.now() + 7 * DAY,
      acceptedAt: null,
    });
    expect(await list()).toContainEqual(created);
    expect(mailedInvites()).toContain(created.id);
    expect(team.mails.join()).not.toContain(email);
    testEnv.advance(7 * DAY - 1);
    const userId = await team.signIn(email);
    expect(await team.roles(tenant)).toMatchObject({ [userId]: "admin" });
    expect(await list()).toContainEqual({ ...created, status: "accepted", acceptedAt: testEnv.now() });
    const [accepted] = await team.audits(tenant, "invite.accept");
    expect(accepted).toMatchObject({ actor: `console:${userId}`, resource: `invite:${created.id}`, ip: "192.0.2.1" });
    const audits = await team.audits(tenant, "invite.create");
    expect(audits[0]).toMatchObject({
      actor: `console:${owner}`,
      resource: `invite:${created.id}`,
      detail: { role: "admin" },
    });
    expect(JSON.stringify(audits)).not.toContain(email);
  });

  it("gives no access seven days later", async () => {
    const { email } = await newInvite();
    testEnv.advance(7 * DAY);
    const userId = await team.signIn(email);
    expect((await team.acting(userId)).caller.memberships).toEqual([]);
  });

  it("is created by admins, and that of an owner by owners", async () => {
    const agent = await team.newMember(tenant, "agent");
    expect(await invite(newEmail(), { by: agent })).toEqual(refused("role_forbidden"));
    expect(await invite(newEmail(), { by: admin, role: "owner" })).toEqual(refused("role_forbidden"));
    const created = await newInvite(newEmail(), "owner");
    expect(await resend(created.id, admin)).toEqual(refused("role_forbidden"));
    expect(await resend(created.id, owner)).toMatchObject({ id: created.id });
    expect(await revoke(created.id, agent)).toEqual(refused("role_forbidden"));
    expect(await revoke(created.id, admin)).toBeNull();
  });

  it("of an invited address or of a member is refused, and of another tenant's member is not", async () => {
    const { email } = await newInvite();
    expect(await invite(email)).toEqual(refused("invite_exists"));
    const member = await team.acting(admin);
    expect(await invite(member.caller.email)).toEqual(refused("invite_exists"));
    tenant = await team.newTenant();
    owner = await team.newMember(tenant, "owner");
    expect(await invite(member.caller.email, { by: owner })).toMatchObject({ email: member.caller.email });
  });

  it("is one of ten that are sent to an address at once", async () => {
    const email = newEmail();
    const results = await Promise.all(Array.from({ length: 10 }, () => invite(email)));
    expect(results.filter((result) => !isRefusal(result))).toHaveLength(1);
    expect((await list()).filter((one) => one.email === email)).toHaveLength(1);
  });

  it("counts its mails in the address's cap", async () => {
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

  it("that is refused counts no mail, also when it is sent again", async () => {
    const [agent, email] = [await team.newMember(tenant, "agent"), newEmail()];
    const expired = await newInvite(email);
    testEnv.advance(7 * DAY);
    const { id } = await newInvite(email);
    for (let n = 0; n < 6; n++) {
      expect(await invite(email)).toEqual(refused("invite_exists"));
      expect(await resend(expired.id)).toEqual(refused("invite_exists"));
      expect(await invite(email, { by: agent })).toEqual(refused("role_forbidden"));
      expect(await resend(id, agent)).toEqual(refused("role_forbidden"));
      expect(await invite((await team.acting(admin)).caller.email)).toEqual(refused("invite_exists"));
    }
    for (let n = 0; n < 4; n++) expect(await resend(id)).toMatchObject({ id });
    expect(await resend(id)).toMatchObject(refused("sign_in_limit"));
    expect(await invite(email)).toEqual(refused("invite_exists"));
    const userId = await team.signIn(email);
    expect(await resend(expired.id)).toEqual(refused("invite_exists"));
    expect(await team.roles(tenant)).toMatchObject({ [userId]: "agent" });
  });

  it("by a member who is removed at the same time is not created", async () => {
    const underWay = await team.acting(admin);
    const request = { tenant, userId: admin, acting: await team.acting(owner), now: testEnv.now() };
    expect(await removeMember(team.ports, request)).toBeNull();
    const late = { tenant, email: newEmail(), role: "agent", acting: underWay, now: testEnv.now() } as const;
    expect(await createInvite(team.ports, late)).toEqual(refused("role_forbidden"));
    const { id } = await newInvite();
    const byRemoved = { tenant, inviteId: id, acting: underWay, now: testEnv.now() };
    expect(await resendInvite(team.ports, byRemoved)).toEqual(refused("role_forbidden"));
    expect(await revokeInvite(team.ports, byRemoved)).toEqual(refused("role_forbidden"));
    expect((await list()).filter(({ status }) => status === "pending")).toHaveLength(1);
  });
});

describe("an invite that is sent again", () => {
  it("lives seven days from then, also after it expired", async () => {
    const created = await newInvite();
    testEnv.advance(9 * DAY);
    const resent = { ...created, expiresAt: testEnv.now() + 7 * DAY };
    expect(await resend(created.id)).toEqual(resent);
    expect(await list()).toContainEqual(resent);
    expect(mailedInvites().filter((id) => id === created.id)).toHaveLength(2);
    const [again] = await team.audits(tenant, "invite.create");
    expect(again).toMatchObject({ resource: `invite:${created.id}`, detail: { role: "agent", resent: true } });
    expect(await invite(created.email)).toEqual(refused("invite_exists"));
  });

  it("was neither revoked nor accepted", async () => {
    const [revoked, accepted] = [await newInvite(), await newInvite()];
    await revoke(revoked.id);
    await team.signIn(accepted.email);
    for (const { id } of [revoked, accepted]) expect(await resend(id)).toEqual(refused("invite_not_found"));
    expect(await revoke(accepted.id)).toEqual(refused("invite_not_found"));
    expect(await revoke(revoked.id)).toBeNull();
    expect(await team.audits(tenant, "invite.revoke")).toHaveLength(1);
  });

  it("is not unknown, malformed or another tenant's", async () => {
    const other = await newInvite();
    tenant = await team.newTenant();
    owner = await team.newMember(tenant, "owner");
    for (const id of [other.id, "inv_x", "", other.id.slice(4), other.id.toLowerCase()]) {
      expect(await resend(id, owner)).toEqual(refused("invite_not_found"));
      expect(await revoke(id, owner)).toEqual(refused("invite_not_found"));
    }
  });

  it("is refused once the address has a newer one", async () => {
    const created = await newInvite();
    testEnv.advance(7 * DAY);
    const newer = await newInvite(created.email);
    expect(await resend(created.id)).toEqual(refused("invite_exists"));
    expect(await revoke(created.id)).toBeNull();
    const userId = await team.signIn(created.email);
    expect(await team.roles(tenant)).toMatchObject({ [userId]: newer.role });
  });
});

describe("an accepted invite", () => {
  it("and its revocation at the same time have one end", async () => {
    for (let round = 0; round < 10; round++) {
      const { id, email } = await newInvite();
      const [userId, revoked] = await Promise.all([team.signIn(email), revoke(id)]);
      const isMember = userId in (await team.roles(tenant));
      expect([revoked === null, isMember].filter(Boolean)).toHaveLength(1);
      const status = (await list()).find((one) => one.id === id)?.status;
      expect(status).toBe(isMember ? "accepted" : "revoked");
    }
  });

  it("of a suspended tenant gives a suspended membership, which ends with the suspension", async () => {
    const setStatus = (status: "active" | "suspended") =>
      setTenantStatus(team.ports, tenant, { status, actor: "cli" }, testEnv.now());
    for (let round = 0; round < 10; round++) {
      const { email } = await newInvite(newEmail(), round % 2 === 0 ? "agent" : "owner");
      const [userId] = await Promise.all([team.signIn(email), setStatus("suspended")]);
      expect((await team.acting(userId)).caller.memberships, `round ${round}`).toMatchObject([{ isSuspended: true }]);
      await setStatus("active");
      expect((await team.acting(userId)).caller.memberships, `round ${round}`).toMatchObject([{ isSuspended: false }]);
    }
  });

  it.each(faultPoints)("is accepted once with a fault (%s) at any call of the sign-in", async (faultPoint) => {
    for (let k = firstFault(faultPoint), reached = true; reached; k += FAULT_STEP) {
      const { email } = await newInvite(newEmail(), "owner");
      const before = (await team.audits(tenant, "invite.accept")).length;
      const injection = injectFaultAt(testEnv.clients, faultPoint, k);
      await team.signIn(email).catch(() => null);
      injection.remove();
      reached = injection.reached();
      const userId = await team.signIn(email);
      expect(await team.roles(tenant)).toMatchObject({ [userId]: "owner" });
      expect(await team.audits(tenant, "invite.accept")).toHaveLength(before + 1);
      const request = { tenant, userId, acting: await team.acting(userId), now: testEnv.now() };
      expect(await removeMember(team.ports, request)).toBeNull();
    }
    // The number of owners is exact: the first one is the last.
    const request = { tenant, userId: owner, acting: await team.acting(owner), now: testEnv.now() };
    expect(await removeMember(team.ports, request)).toEqual(refused("last_owner"));
  });

  it("is one of 20 at a sign-in: the operator's first, then the newest; the next sign-in accepts the others", async () => {
    const [email, named] = [newEmail(), newTenant()];
    await createTenant(team.ports, named, { name: "Shop", ownerEmail: email, actor: "cli" }, testEnv.now());
    const tenants: TenantId[] = [];
    for (let n = 0; n < 22; n++) {
      nextWindow();
      tenant = await team.newTenant();
      owner = await team.newMember(tenant, "owner");
      await newInvite(email);
      tenants.push(tenant);
    }
    const userId = await team.signIn(email);
    const ofUser = async () => (await team.acting(userId)).caller.memberships.map((one) => one.tenant).sort();
    expect(await ofUser()).toEqual([named, ...tenants.slice(3)].sort());
    await team.signIn(email);
    expect(await ofUser()).toEqual([named, ...tenants].sort());
  });

  it("is not lost when another invite of the address fails", async () => {
    const email = newEmail();
    const first = await newInvite(email);
    const failing = tenant;
    tenant = await team.newTenant();
    owner = await team.newMember(tenant, "owner");
    await newInvite(email);
    const accept: typeof team.ports.invites.accept = (one, by) =>
      one.tenant === failing ? Promise.reject(new Error("A fault.")) : team.ports.invites.accept(one, by);
    const userId = await team.signIn(email, { ...team.ports, invites: { ...team.ports.invites, accept } });
    expect((await team.acting(userId)).caller.memberships).toMatchObject([{ tenant }]);
    expect(testEnv.lines).toContainEqual({ event: "invites.claim_failed", error: "Error" });
    await team.signIn(email);
    expect((await team.acting(userId)).caller.memberships).toHaveLength(2);
    expect(await team.roles(failing)).toMatchObject({ [userId]: first.role });
  });
});

describe("a fault at any call", () => {
  it("of the queue leaves an invite without a mail, which its address accepts all the same", async () => {
    const email = newEmail();
    const mails = { send: () => Promise.reject(new Error("The queue fails.")) };
    const request = { tenant, email, role: "agent", acting: await team.acting(admin), now: testEnv.now() } as const;
    await expect(createInvite({ ...team.ports, mails }, request)).rejects.toThrow("The queue fails.");
    const [stored] = (await list()).filter((one) => one.email === email);
    expect(stored).toMatchObject({ status: "pending" });
    expect(mailedInvites()).not.toContain(stored?.id);
    const userId = await team.signIn(email);
    expect(await team.roles(tenant)).toMatchObject({ [userId]: "agent" });
  });

  it.each(faultPoints)("(%s) leaves one invite, which can be sent again", async (faultPoint) => {
    for (let k = firstFault(faultPoint), reached = true; reached; k += FAULT_STEP) {
      const email = newEmail();
      const acting = await team.acting(admin);
      const injection = injectFaultAt(testEnv.clients, faultPoint, k);
      const request = { tenant, email, role: "agent", acting, now: testEnv.now() } as const;
      const answer = await createInvite(team.ports, request).catch(() => null);
      injection.remove();
      reached = injection.reached();
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
      expect(await team.roles(tenant)).toMatchObject({ [userId]: "agent" });
    }
  });

  it.each(faultPoints)("(%s) revokes an invite once", async (faultPoint) => {
    for (let k = firstFault(faultPoint), reached = true; reached; k += FAULT_STEP) {
      const { id, email } = await newInvite();
      const before = (await team.audits(tenant, "invite.revoke")).length;
      const acting = await team.acting(admin);
      const injection = injectFaultAt(testEnv.clients, faultPoint, k);
      const request = { tenant, inviteId: id, acting, now: testEnv.now() };
      const answer = await revokeInvite(team.ports, request).catch(() => "crashed");
      injection.remove();
      reached = injection.reached();
      if (faultPoint === "lost") expect(answer).toBeNull();
      expect(await revokeInvite(team.ports, request)).toBeNull();
      expect(await team.audits(tenant, "invite.revoke")).toHaveLength(before + 1);
      const userId = await team.signIn(email);
      expect((await team.acting(userId)).caller.memberships).toEqual([]);
    }
  });
});

describe("the owner whom the operator names", () => {
  it("is invited without an expiry, in the transaction that creates the tenant", async () => {
    const [slug, email] = [newTenant(), newEmail()];
    const settings = { name: "Shop", ownerEmail: email, actor: "cli" };
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

  it.each(faultPoints)("is invited by the next run of a command with a fault (%s) at any call", async (faultPoint) => {
    for (let k = firstFault(faultPoint), reached = true; reached; k += FAULT_STEP) {
      const [slug, email] = [newTenant(), newEmail()];
      const settings = { name: "Shop", ownerEmail: email, actor: "cli" };
      const injection = injectFaultAt(testEnv.clients, faultPoint, k);
      const answer = await createTenant(team.ports, slug, settings, testEnv.now()).catch(() => null);
      injection.remove();
      reached = injection.reached();
      if (faultPoint === "lost") expect(answer).toBe(true);
      await createTenant(team.ports, slug, settings, testEnv.now());
      const userId = await team.signIn(email);
      expect(await team.roles(slug)).toEqual({ [userId]: "owner" });
      expect(await team.audits(slug, "tenant.create")).toHaveLength(1);
    }
  });
});
