import { expect, test } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import { HOUR } from "#base/kernel/time.ts";
import { toLoginId } from "#features/access/flows/sign-in/login-link.ts";
import { renamePerson } from "#features/access/flows/sign-in/rename-person.ts";
import { requestSignInLink } from "#features/access/flows/sign-in/request-link.ts";
import { signIn } from "#features/access/flows/sign-in/sign-in.ts";
import { openSignInLink } from "#features/access/flows/sign-in/sign-in-link.ts";
import { signOut } from "#features/access/flows/sign-in/sign-out.ts";
import { mayReceiveLink } from "#features/access/flows/sign-in-eligibility.ts";
import type { SessionCaller } from "#features/access/rules/callers.ts";
import { BROWSER, openSignInFixture, unknownToken } from "../../features/access/flows/support/sign-in-fixture.ts";
import { openTestEnv } from "../../support/flows/test-env.ts";
import { attachMeter } from "../../support/meter.ts";
import { openedOnce } from "../../support/opened.ts";

// The exact costs of signing in and out, as in docs/design/table-costs.md. `mails.test.ts` has those of the mail worker.

const testEnv = openedOnce(openTestEnv);
const fixture = openedOnce(() => openSignInFixture(testEnv));
const meter = openedOnce(() => attachMeter(testEnv.client, testEnv.table.name));

async function cost(work: () => Promise<unknown>): Promise<{ wcu: number; rcu: number }> {
  const { wcu, rcu } = await meter.measure("work", work);
  return { wcu, rcu };
}
const request = (address: string, ip: string | null) =>
  requestSignInLink(fixture.ports(), { address, redirect: "/inbox", ip, now: testEnv.now() });
async function open(token: string) {
  const now = testEnv.now();
  const link = await openSignInLink(fixture.ports(), { token, browser: BROWSER, session: null, now });
  return isRefusal(link) ? link : signIn(fixture.ports(), { token, ip: null, now });
}

/** Requests and opens a link, with what the mail worker does with it in between. */
async function fromRequestToCookie(address: string) {
  const { loginTokens, users, invites } = fixture.stores;
  const token = await fixture.newToken(address);
  const mail = async () => {
    const loginId = toLoginId(token) ?? "";
    await loginTokens.get(loginId);
    expect(await mayReceiveLink({ users, invites, isSignUpOpen: false }, fixture.hashes(address), testEnv.now())).toBe(
      true,
    );
    expect(await loginTokens.claimMail(loginId, { op: "1", now: testEnv.now() })).toBe(true);
  };
  const parts = [
    await cost(() => request(address, null)),
    await cost(mail),
    await cost(async () => expect(isRefusal(await open(token))).toBe(false)),
  ];
  return {
    parts,
    wcu: parts.reduce((sum, { wcu }) => sum + wcu, 0),
    rcu: parts.reduce((sum, { rcu }) => sum + rcu, 0),
  };
}

test("a request for a link is three writes for any address, and one or two above a cap", async () => {
  const { address, ip } = fixture.newPerson();
  await fixture.newUser(address);
  for (let i = 0; i < 5; i++) expect(await cost(() => request(address, ip))).toEqual({ wcu: 3, rcu: 0 });
  expect(await cost(() => request(address, ip))).toEqual({ wcu: 2, rcu: 0 });
  for (let i = 0; i < 14; i++) {
    expect(await cost(() => request(fixture.newPerson().address, ip))).toEqual({ wcu: 3, rcu: 0 });
  }
  expect(await cost(() => request(fixture.newPerson().address, ip))).toEqual({ wcu: 1, rcu: 0 });
  testEnv.advance(HOUR);
});

test("a member signs in for 7 writes and 7 reads, from the request to the cookie", async () => {
  const { address } = fixture.newPerson();
  await fixture.newUser(address);
  const { parts, wcu, rcu } = await fromRequestToCookie(address);
  expect(parts).toEqual([
    { wcu: 3, rcu: 0 },
    { wcu: 1, rcu: 3 },
    { wcu: 3, rcu: 4 },
  ]);
  expect([wcu, rcu]).toEqual([7, 7]);
});

test("an invited person signs in for the first time for 20 writes and 9 reads", async () => {
  const { address } = fixture.newPerson();
  await fixture.newInvite(address);
  const { parts, wcu, rcu } = await fromRequestToCookie(address);
  expect(parts).toEqual([
    { wcu: 3, rcu: 0 },
    { wcu: 1, rcu: 3 },
    { wcu: 16, rcu: 6 },
  ]);
  expect([wcu, rcu]).toEqual([20, 9]);
});

test("a link that is not valid is one read, and a token of another form costs nothing", async () => {
  expect(await cost(() => open(unknownToken()))).toEqual({ wcu: 0, rcu: 1 });
  expect(await cost(() => open("malformed"))).toEqual({ wcu: 0, rcu: 0 });
});

test("a name costs a write of the user and of each membership", async () => {
  const { address } = fixture.newPerson();
  const { user, tenants } = await fixture.newUser(address, 2);
  const memberships = tenants.map((tenant) => ({ tenant, role: "agent", isSuspended: false }) as const);
  const rename = () => renamePerson(fixture.stores, { userId: user.id, memberships }, "Mara");
  expect(await cost(rename)).toEqual({ wcu: 3, rcu: 0 });
});

test("signing out is a transaction of the user and an audit row for each tenant", async () => {
  const { address } = fixture.newPerson();
  const { user } = await fixture.newUser(address);
  const session = await fixture.stores.users.readSession(user.id);
  const caller: SessionCaller = {
    kind: "session",
    userId: user.id,
    email: address,
    name: null,
    expiresAt: testEnv.now() + HOUR,
    epoch: user.sessionEpoch,
    csrfToken: "",
    memberships: session?.memberships ?? [],
    scope: "live",
  };
  expect(await cost(() => signOut(fixture.ports(), { author: { caller, ip: null }, now: testEnv.now() }))).toEqual({
    wcu: 4,
    // The number of the tenant's sockets, before and after.
    rcu: 2,
  });
});
