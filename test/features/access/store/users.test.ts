import { expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { newUserId } from "#features/access/rules/team.ts";
import { auditStore } from "#features/access/store/audit.ts";
import type { AddressHashes } from "#features/access/store/invite-items.ts";
import { userStore } from "#features/access/store/users.ts";
import { injectFaults, withFaults } from "../../../support/faults.ts";
import { openedOnce } from "../../../support/opened.ts";
import { NOW } from "../../../support/stores/samples.ts";
import { openTestTable } from "../../../support/stores/test-table.ts";
import { auditOf, createMember, createTenant, hashesOf, newEmail, signIn } from "./support/team-samples.ts";

const table = openedOnce(openTestTable);
const users = openedOnce(() => userStore(table));

const recordSignIn = (email: string, addressHashes: AddressHashes, now = NOW) =>
  users.recordSignIn({ addressHashes, email, newUserId: newUserId(now), now });

it("the first sign-in of an address creates its user, and each later one is recorded", async () => {
  const email = newEmail();
  expect(await users.getByAddress(hashesOf(email))).toBeNull();
  const user = await recordSignIn(email, hashesOf(email));
  expect(user).toEqual({
    id: expect.stringMatching(/^usr_[0-9A-Z]{26}$/),
    email,
    name: null,
    createdAt: NOW,
    lastSignInAt: NOW,
    sessionEpoch: 0,
  });
  const later = { ...user, lastSignInAt: NOW + 1 };
  expect(await recordSignIn(email, hashesOf(email), NOW + 1)).toEqual(later);
  expect(await users.getByAddress(hashesOf(email))).toEqual(later);
  expect(await users.getIdByAddress(hashesOf(email))).toBe(user.id);
  expect(await users.get(user.id)).toEqual(later);
  expect(await users.get(newUserId(NOW))).toBeNull();
});

it("twenty first sign-ins at once create one user", async () => {
  const email = newEmail();
  const signIns = await Promise.all(Array.from({ length: 20 }, () => recordSignIn(email, hashesOf(email))));
  expect(new Set(signIns.map(({ id }) => id)).size).toBe(1);
});

it("a first sign-in whose answers are lost creates one user and returns it", async () => {
  const email = newEmail();
  const end = injectFaults(table.client, ({ index }) => (index % 2 === 0 ? "lost" : "pass"));
  const user = await recordSignIn(email, hashesOf(email));
  end();
  expect(await users.getByAddress(hashesOf(email))).toEqual(user);
});

it("a first sign-in that dies after any of its calls is completed by the next one, with the same user", async () => {
  for (let calls = 1; calls <= 3; calls++) {
    const email = newEmail();
    const end = injectFaults(table.client, ({ index }) => (index < calls ? "pass" : "crash"));
    await Promise.allSettled([recordSignIn(email, hashesOf(email))]);
    end();
    const userId = await users.getIdByAddress(hashesOf(email));
    const user = await recordSignIn(email, hashesOf(email), NOW + 1);
    if (calls > 1) expect(user.id).toBe(userId);
    expect(user).toMatchObject({ email, name: null, lastSignInAt: NOW + 1, sessionEpoch: 0 });
    expect(await users.getByAddress(hashesOf(email))).toEqual(user);
  }
});

it("an address under an earlier hash keeps its user, and moves to the current hash", async () => {
  const email = newEmail();
  const user = await recordSignIn(email, [`old ${email}`]);
  const both = [`new ${email}`, `old ${email}`] as const;
  expect(await users.getIdByAddress(both)).toBe(user.id);
  const signIns = await Promise.all(Array.from({ length: 5 }, () => recordSignIn(email, both)));
  expect(signIns.map(({ id }) => id)).toEqual(Array(5).fill(user.id));
  expect(await users.getIdByAddress([`new ${email}`])).toBe(user.id);
  expect(await users.getIdByAddress([`old ${email}`])).toBeNull();
});

it("processes that know different current hashes create one user", async () => {
  const email = newEmail();
  const [older, newer] = [[`a ${email}`, `b ${email}`] as const, [`b ${email}`, `a ${email}`] as const];
  const signIns = await Promise.all([older, newer, older, newer].map((hashes) => recordSignIn(email, hashes)));
  expect(new Set(signIns.map(({ id }) => id)).size).toBe(1);
});

it("a session reads its user and the memberships in all tenants", async () => {
  const tenant = await createTenant(table);
  const user = await createMember(table, tenant, "admin");
  expect(await users.readSession(user.id)).toEqual({
    user,
    memberships: [{ tenant, role: "admin", isSuspended: false }],
  });
  const memberless = await signIn(table);
  expect(await users.readSession(memberless.id)).toEqual({ user: memberless, memberships: [] });
  expect(await users.readSession(newUserId(NOW))).toBeNull();
});

it("the sessions of an epoch end once, with an audit row in each tenant", async () => {
  const tenants = [await createTenant(table), await createTenant(table)];
  const user = await signIn(table);
  const audits = tenants.map((tenant) => ({ tenant, entry: auditOf("session.sign_out", NOW + 1) }));
  const raise = (epoch: number) => users.raiseEpoch(user.id, { epoch, audits, op: newUlid(NOW + 1) });
  const results = await Promise.all(Array.from({ length: 4 }, () => raise(0)));
  expect(results.filter(Boolean)).toHaveLength(1);
  expect((await users.get(user.id))?.sessionEpoch).toBe(1);
  for (const tenant of tenants) {
    const { rows } = await auditStore(table).list(tenant, { before: null, limit: 10, now: NOW + 1 });
    expect(rows.filter(({ action }) => action === "session.sign_out")).toHaveLength(1);
  }
  expect(await raise(1)).toBe(true);
});

it("the end of sessions whose answer is lost is reported as its own, once", async () => {
  const user = await signIn(table);
  expect(
    await withFaults(table.client, "lost", () => users.raiseEpoch(user.id, { epoch: 0, audits: [], op: newUlid(NOW) })),
  ).toBe(true);
  expect((await users.get(user.id))?.sessionEpoch).toBe(1);
});

it("a user of more tenants than a transaction has room for signs out of all", async () => {
  const user = await signIn(table);
  const tenants = [];
  for (let n = 0; n < 101; n++) tenants.push(`audited-${user.id.slice(-8).toLowerCase()}-${n}`);
  const audits = tenants.map((tenant) => ({ tenant: tenant as never, entry: auditOf("session.sign_out") }));
  expect(await users.raiseEpoch(user.id, { epoch: 0, audits, op: newUlid(NOW) })).toBe(true);
  const { rows } = await auditStore(table).list(tenants.at(-1) as never, { before: null, limit: 10, now: NOW });
  expect(rows).toHaveLength(1);
});
