import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, it } from "vitest";
import { newOp } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY } from "#base/kernel/time.ts";
import type { Invite } from "#features/access/rules/team.ts";
import { auditStore } from "#features/access/store/audit.ts";
import type { AddressHashes } from "#features/access/store/invite-items.ts";
import { inviteStore } from "#features/access/store/invites.ts";
import { inviteKey } from "#features/access/store/items.ts";
import { membershipStore } from "#features/access/store/memberships.ts";
import { userStore } from "#features/access/store/users.ts";
import { tenantStatusStore } from "#features/tenants/store/tenant-status.ts";
import { injectFaults, withFaults } from "../../../support/faults.ts";
import { openedOnce } from "../../../support/opened.ts";
import { NOW, newTenant } from "../../../support/stores/samples.ts";
import { openTestTable } from "../../../support/stores/test-table.ts";
import {
  auditOf,
  createInvite,
  createMember,
  createTenant,
  hashesOf,
  newEmail,
  sampleInvite,
  signIn,
} from "./support/team-samples.ts";

const EXPIRY = NOW + 7 * DAY;
let tenant: TenantId;
const table = openedOnce(openTestTable);
const invites = openedOnce(() => inviteStore(table));
beforeEach(async () => {
  tenant = await createTenant(table);
});

async function newInvite(rest: Partial<Invite> = {}): Promise<Invite> {
  const invite = sampleInvite(tenant, rest);
  expect(await createInvite(table, invite)).toBe("created");
  return invite;
}

const pendingIds = async (email: string, now = NOW) =>
  (await invites.pendingFor(hashesOf(email), now)).map(({ inviteId }) => inviteId);
const byOperator = (invite: Invite, action: "invite.create" | "invite.revoke", at: number) => ({
  audit: auditOf(action, at),
  actor: null,
  addressHashes: hashesOf(invite.email),
});
const revoke = (invite: Invite, at = NOW + 1) => invites.revoke(invite, byOperator(invite, "invite.revoke", at));
const renew = (invite: Invite, at = NOW + 1, memberId: string | null = null) =>
  invites.renew(invite, { ...byOperator(invite, "invite.create", at), memberId, expiresAt: at + 7 * DAY });
async function accept(invite: Invite, at = NOW + 1, addressHashes: AddressHashes = hashesOf(invite.email)) {
  const user = await signIn(table, invite.email);
  return invites.accept(invite, { user, addressHashes, audit: auditOf("invite.accept", at) });
}
const storedRow = async ({ id }: Invite) =>
  (await table.client.send(new GetCommand({ TableName: table.name, Key: inviteKey(tenant, id) }))).Item;

async function auditCount(action: "invite.create" | "invite.revoke" | "invite.accept"): Promise<number> {
  const { rows } = await auditStore(table).list(tenant, { before: null, limit: 100, now: NOW + 30 * DAY });
  return rows.filter((row) => row.action === action).length;
}

it("an invite is listed by its tenant and found by its address until it expires", async () => {
  const email = newEmail();
  const other = await createTenant(table);
  const invite = await newInvite({ email, role: "admin" });
  await createInvite(table, sampleInvite(other, { email }));
  expect(await invites.list(tenant)).toEqual([invite]);
  expect(await invites.get(tenant, invite.id)).toEqual(invite);
  expect(await invites.get(other, invite.id)).toBeNull();
  const pending = await invites.pendingFor(hashesOf(email), EXPIRY - 1);
  expect(pending).toHaveLength(2);
  const [addressHash] = hashesOf(email);
  const found = { tenant, inviteId: invite.id, role: "admin", expiresAt: EXPIRY, boundTo: null, addressHash };
  expect(pending).toContainEqual(found);
  expect(await invites.pendingFor(hashesOf(email), EXPIRY)).toEqual([]);
  expect(await storedRow(invite)).toMatchObject({ x: Math.ceil((EXPIRY + 90 * DAY) / 1000) });
  expect(await auditCount("invite.create")).toBe(1);
});

it("an invite of an owner whom the operator named does not expire", async () => {
  const invite = await newInvite({ role: "owner", expiresAt: null });
  expect(await pendingIds(invite.email, NOW + 400 * DAY)).toEqual([invite.id]);
  expect(await storedRow(invite)).not.toHaveProperty("x");
  expect(await createInvite(table, sampleInvite(tenant, { email: invite.email, createdAt: NOW + 400 * DAY }))).toBe(
    "exists",
  );
  expect(await accept(invite, NOW + 400 * DAY)).toBe("accepted");
});

it("an invite of an address with a pending one, or of a member, exists already", async () => {
  const invite = await newInvite();
  expect(await createInvite(table, sampleInvite(tenant, { email: invite.email }))).toBe("exists");
  const { id, email } = await createMember(table, tenant, "agent");
  expect(await createInvite(table, sampleInvite(tenant, { email }), id)).toBe("exists");
  expect(await invites.list(tenant)).toHaveLength(2);
  const late = sampleInvite(tenant, { email: invite.email, createdAt: EXPIRY, expiresAt: EXPIRY + 7 * DAY });
  expect(await createInvite(table, late)).toBe("created");
  expect(await pendingIds(invite.email, EXPIRY)).toEqual([late.id]);
});

it("an invite is one of ten that are created at once", async () => {
  const email = newEmail();
  const results = await Promise.all(
    Array.from({ length: 10 }, () => createInvite(table, sampleInvite(tenant, { email }))),
  );
  expect(results.filter((result) => result === "created")).toHaveLength(1);
  expect(await invites.list(tenant)).toHaveLength(1);
});

it("an invite whose creation loses its answer is created once", async () => {
  const invite = sampleInvite(tenant);
  expect(await withFaults(table.client, "lost", () => createInvite(table, invite))).toBe("created");
  expect(await auditCount("invite.create")).toBe(1);
});

it("an invite of a tenant that does not exist is refused, and so is one by a member who was removed", async () => {
  expect(await createInvite(table, sampleInvite(newTenant()))).toBe("tenant_not_found");
  const { id: userId } = await createMember(table, tenant, "agent");
  const invite = sampleInvite(tenant);
  const actor = { userId, roles: ["admin", "owner"] } as const;
  const audit = auditOf("invite.create");
  const addressHashes = hashesOf(invite.email);
  expect(await invites.create(invite, { audit, actor, memberId: null, addressHashes })).toBe("actor_changed");
  const existing = await newInvite();
  const by = { ...byOperator(existing, "invite.revoke", NOW), actor };
  expect(await invites.revoke(existing, by)).toBe("actor_changed");
  expect(await invites.renew(existing, { ...by, memberId: null, expiresAt: EXPIRY })).toBe("actor_changed");
  expect(await invites.get(tenant, existing.id)).toEqual(existing);
});

it("a revoked invite is final, and its address can be invited again", async () => {
  const invite = await newInvite();
  expect(await revoke(invite)).toBe("revoked");
  expect(await invites.get(tenant, invite.id)).toEqual({ ...invite, status: "revoked" });
  expect(await pendingIds(invite.email)).toEqual([]);
  expect([await revoke(invite), await renew(invite), await accept(invite)]).toEqual(Array(3).fill("not_pending"));
  await newInvite({ email: invite.email });
  expect(await auditCount("invite.revoke")).toBe(1);
  expect(await storedRow(invite)).toMatchObject({ x: Math.ceil((NOW + 1 + 90 * DAY) / 1000) });
});

it("a revoked invite that had expired leaves the later invite of its address pending", async () => {
  const invite = await newInvite();
  const late = sampleInvite(tenant, { email: invite.email, createdAt: EXPIRY, expiresAt: EXPIRY + 7 * DAY });
  await createInvite(table, late);
  expect(await revoke(invite, EXPIRY + 1)).toBe("revoked");
  expect(await pendingIds(invite.email, EXPIRY + 1)).toEqual([late.id]);
});

it("a revocation whose answer is lost revokes its invite once", async () => {
  const invite = await newInvite();
  expect(await withFaults(table.client, "lost", () => revoke(invite))).toBe("revoked");
  expect(await auditCount("invite.revoke")).toBe(1);
});

it("a renewed invite is pending for seven more days, also after it expired", async () => {
  const invite = await newInvite();
  expect(await renew(invite, EXPIRY + 5)).toBe("renewed");
  const expiresAt = EXPIRY + 5 + 7 * DAY;
  expect(await invites.get(tenant, invite.id)).toEqual({ ...invite, expiresAt });
  expect(await pendingIds(invite.email, expiresAt - 1)).toEqual([invite.id]);
  expect(await pendingIds(invite.email, expiresAt)).toEqual([]);
});

it("a renewed invite is refused once its address has another pending invite or is a member", async () => {
  const invite = await newInvite();
  const late = sampleInvite(tenant, { email: invite.email, createdAt: EXPIRY, expiresAt: EXPIRY + 7 * DAY });
  await createInvite(table, late);
  expect(await renew(invite, EXPIRY + 1)).toBe("exists");
  await accept(late, EXPIRY + 2);
  const user = await signIn(table, invite.email);
  expect(await renew(invite, EXPIRY + 3, user.id)).toBe("exists");
});

const claim = ({ id }: Pick<Invite, "id">, now: number, op = newOp(now)) => invites.claimMail(tenant, id, { op, now });
const claims = (invite: Invite, at: number) => Promise.all(Array.from({ length: 3 }, () => claim(invite, at)));

it("the mail of an invite is claimed once, and again after the invite was renewed", async () => {
  const invite = await newInvite();
  expect((await claims(invite, NOW)).filter(Boolean)).toEqual([invite]);
  expect(await claims(invite, NOW + 1)).toEqual([null, null, null]);
  await renew(invite, EXPIRY);
  expect(await withFaults(table.client, "lost", () => claim(invite, EXPIRY + 1))).toMatchObject({ id: invite.id });
  expect(await claims(invite, EXPIRY + 1)).toEqual([null, null, null]);
});

it("the mail of an invite is not claimed once the invite is revoked or expired, nor of one that does not exist", async () => {
  const [revoked, expired] = [await newInvite(), await newInvite()];
  await revoke(revoked);
  expect(await claim(revoked, NOW + 2)).toBeNull();
  expect(await claim(expired, EXPIRY)).toBeNull();
  expect(await claim({ id: "inv_0" }, NOW)).toBeNull();
  expect(await invites.list(tenant)).toHaveLength(2);
});

it("the mail of an invite is claimed again after its worker gave the claim back, and another change of the invite is left as it is", async () => {
  const invite = await newInvite();
  await claim(invite, NOW, "one");
  await invites.releaseMail(tenant, invite.id, "two");
  expect(await claim(invite, NOW)).toBeNull();
  await invites.releaseMail(tenant, invite.id, "one");
  expect(await claim(invite, NOW, "two")).toEqual(invite);
  await renew(invite, NOW + 1);
  const renewed = await claim(invite, NOW + 2);
  await invites.releaseMail(tenant, invite.id, "two");
  expect(renewed).not.toBeNull();
  expect(await claim(invite, NOW + 2)).toBeNull();
});

it("an accepted invite makes its user a member on both sides, once", async () => {
  const invite = await newInvite({ role: "owner", invitedBy: "console:usr_1" });
  expect(await accept(invite)).toBe("accepted");
  const user = await signIn(table, invite.email);
  expect(await invites.get(tenant, invite.id)).toEqual({ ...invite, status: "accepted", acceptedAt: NOW + 1 });
  const session = await userStore(table).readSession(user.id);
  expect(session?.memberships).toEqual([{ tenant, role: "owner", isSuspended: false }]);
  const membership = { tenant, userId: user.id, email: user.email, name: null, role: "owner" };
  expect(await membershipStore(table).list(tenant)).toEqual([
    { ...membership, createdAt: NOW + 1, invitedBy: "console:usr_1" },
  ]);
  expect(await pendingIds(invite.email)).toEqual([]);
  expect([await accept(invite), await revoke(invite), await renew(invite)]).toEqual(Array(3).fill("not_pending"));
  expect(await auditCount("invite.accept")).toBe(1);
});

it("an accepted invite is refused at the instant of its expiry", async () => {
  const invite = await newInvite();
  expect(await accept(invite, EXPIRY)).toBe("not_pending");
  expect(await accept(invite, EXPIRY - 1)).toBe("accepted");
});

it("an accepted invite of a member leaves the role as it is", async () => {
  const { email } = await createMember(table, tenant, "agent");
  const invite = await newInvite({ email, role: "owner" });
  expect(await accept(invite)).toBe("accepted");
  expect(await membershipStore(table).list(tenant)).toMatchObject([{ role: "agent" }]);
  const audit = auditOf("member.role_change");
  const [member] = await membershipStore(table).list(tenant);
  if (!member) throw new Error("The member is missing.");
  await membershipStore(table).changeRole(member, "owner", { audit, actor: null });
  // The number of owners is 1.
  expect(await membershipStore(table).remove({ ...member, role: "owner" }, { audit, actor: null })).toBe("last_owner");
});

it("an accepted invite of a suspended tenant gives a suspended membership", async () => {
  const statuses = tenantStatusStore(table);
  for (const role of ["owner", "agent"] as const) {
    const invite = await newInvite({ role });
    await statuses.set(tenant, role === "owner" ? "suspended" : "active", auditOf("tenant.update"));
    await statuses.set(tenant, "suspended", auditOf("tenant.update"));
    expect(await accept(invite)).toBe("accepted");
    const user = await signIn(table, invite.email);
    expect((await userStore(table).readSession(user.id))?.memberships).toEqual([{ tenant, role, isSuspended: true }]);
  }
});

it("an invite that is accepted and revoked at the same time has one end", async () => {
  for (let round = 0; round < 10; round++) {
    const invite = await newInvite();
    const results = await Promise.all([accept(invite), revoke(invite)]);
    expect(results.filter((result) => result === "not_pending")).toHaveLength(1);
    const isMember = (await membershipStore(table).list(tenant)).some(({ email }) => email === invite.email);
    const { status } = (await invites.get(tenant, invite.id)) ?? {};
    expect([results[0] === "accepted", status === "accepted"]).toEqual([isMember, isMember]);
  }
});

it("an invite whose acceptance loses its answer is accepted once", async () => {
  const invite = await newInvite();
  await signIn(table, invite.email);
  let requests = 0;
  const end = injectFaults(table.client, ({ command }) =>
    command === "TransactWriteItems" && requests++ === 0 ? "lost" : "pass",
  );
  expect(await accept(invite)).toBe("accepted");
  end();
  expect(await auditCount("invite.accept")).toBe(1);
});

it("an address under an earlier hash is found, accepted, renewed and revoked, and leaves no row", async () => {
  const old = (email: string) => [`old of ${email}`] as const;
  const both = (email: string) => [`new of ${email}`, `old of ${email}`] as const;
  const all: Invite[] = [];
  for (let n = 0; n < 3; n++) {
    const invite = sampleInvite(tenant);
    const by = { ...byOperator(invite, "invite.create", NOW), addressHashes: old(invite.email), memberId: null };
    await invites.create(invite, by);
    expect((await invites.pendingFor(both(invite.email), NOW)).map(({ inviteId }) => inviteId)).toEqual([invite.id]);
    const another = sampleInvite(tenant, { email: invite.email });
    expect(await invites.create(another, { ...by, addressHashes: both(invite.email) })).toBe("exists");
    all.push(invite);
  }
  const [a, b, c] = all as [Invite, Invite, Invite];
  expect(await accept(a, NOW + 1, both(a.email))).toBe("accepted");
  const by = (invite: Invite) => ({
    ...byOperator(invite, "invite.revoke", NOW + 1),
    addressHashes: both(invite.email),
  });
  expect(await invites.revoke(b, by(b))).toBe("revoked");
  expect(await invites.renew(c, { ...by(c), memberId: null, expiresAt: EXPIRY + 1 })).toBe("renewed");
  for (const { email } of all) expect(await invites.pendingFor(old(email), NOW)).toEqual([]);
  expect(await invites.pendingFor(both(c.email), NOW)).toHaveLength(1);
});
