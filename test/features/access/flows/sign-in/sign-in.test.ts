import { beforeEach, expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { signIn } from "#features/access/flows/sign-in/sign-in.ts";
import { signOut } from "#features/access/flows/sign-in/sign-out.ts";
import type { AuditAction } from "#features/access/rules/audit.ts";
import { authenticateSession, openSession } from "#features/access/sessions.ts";
import { faultPoints, injectFaultAt } from "../../../../support/flows/fault-injection.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedOnce } from "../../../../support/opened.ts";
import { openSignInFixture, sessionRing, unknownToken } from "../support/sign-in-fixture.ts";

let address: string;
const testEnv = openedOnce(openTestEnv);
const fixture = openedOnce(() => openSignInFixture(testEnv));
beforeEach(() => {
  ({ address } = fixture.newPerson());
});

const IP = "203.0.113.9";
const open = (token: string, ports = fixture.ports()) => signIn(ports, { token, ip: IP, now: testEnv.now() });
const invalid = { refused: "invalid_token" };

async function auditRows(tenant: TenantId, action: AuditAction) {
  const { rows } = await fixture.stores.audit.list(tenant, { before: null, limit: 50, now: testEnv.now() });
  return rows.filter((row) => row.action === action);
}

/** The caller of a session token. Throws when it is not valid. */
async function callerOf(token: string) {
  const session = await openSession(sessionRing, token, testEnv.now());
  const caller = session && (await authenticateSession(fixture.ports(), session));
  if (!caller || isRefusal(caller)) throw new Error("The session is not valid.");
  return caller;
}

async function signedIn(token: string) {
  const result = await open(token);
  if (isRefusal(result)) throw new Error("The link is not valid.");
  return result;
}

it("opening a sign-in link signs a member in, and records it in each of their tenants", async () => {
  const { user, tenants } = await fixture.newUser(address, 3);
  testEnv.advance(MINUTE);
  const { session, redirect } = await signedIn(await fixture.newToken(address, "/inbox?open=1"));
  expect(redirect).toBe("/inbox?open=1");
  expect(await callerOf(session.token)).toMatchObject({ userId: user.id, email: address });
  expect(await fixture.stores.users.get(user.id)).toMatchObject({ lastSignInAt: testEnv.now() });
  for (const tenant of tenants) {
    const rows = await auditRows(tenant, "session.sign_in");
    const { id } = user;
    expect(rows).toMatchObject([{ resource: `user:${id}`, actor: `console:${id}`, ip: IP, detail: {} }]);
  }
});

it("opening a sign-in link creates the user at the first sign-in, and finds that user at the next one", async () => {
  const first = await callerOf((await signedIn(await fixture.newToken(address))).session.token);
  const second = await callerOf((await signedIn(await fixture.newToken(address))).session.token);
  expect(second.userId).toBe(first.userId);
  expect(first).toMatchObject({ email: address, memberships: [] });
});

it("opening a sign-in link claims the pending invites before it reads the memberships, and signs in without them when that fails", async () => {
  const invite = await fixture.newInvite(address);
  const failing = async () => {
    throw new TypeError("canary");
  };
  const token = await fixture.newToken(address);
  const invites = { ...fixture.stores.invites, pendingFor: failing };
  expect(isRefusal(await open(token, { ...fixture.ports(), invites }))).toBe(false);
  expect(testEnv.lines.splice(0)).toEqual([{ event: "invites.claim_failed", error: "TypeError" }]);
  await signedIn(await fixture.newToken(address));
  expect(await auditRows(invite.tenant, "session.sign_in")).toHaveLength(1);
});

it("opening a sign-in link at the same time twenty times begins one session", async () => {
  const { user, tenants } = await fixture.newUser(address);
  const token = await fixture.newToken(address);
  const results = await Promise.all(Array.from({ length: 20 }, () => open(token)));
  const sessions = results.filter((result) => !isRefusal(result));
  expect(sessions).toHaveLength(1);
  expect(results.filter(isRefusal)).toEqual(Array.from({ length: 19 }, () => invalid));
  expect(await auditRows(tenants[0] as TenantId, "session.sign_in")).toHaveLength(1);
  expect(await fixture.stores.users.get(user.id)).not.toBeNull();
});

it("opening a sign-in link with two links of a new person at the same time creates one user", async () => {
  const tokens = await Promise.all([fixture.newToken(address), fixture.newToken(address)]);
  const sessions = await Promise.all(tokens.map(signedIn));
  const callers = await Promise.all(sessions.map(({ session }) => callerOf(session.token)));
  expect(new Set(callers.map(({ userId }) => userId)).size).toBe(1);
});

it("opening a sign-in link is refused alike for an unknown, a malformed, a used and an expired one", async () => {
  const token = await fixture.newToken(address);
  for (const text of ["", "x", unknownToken(), `${token}=`, ` ${token}`, token.slice(1), "x".repeat(10_000)]) {
    expect(await open(text), text).toEqual(invalid);
  }
  const expired = await fixture.newToken(address);
  await signedIn(token);
  expect(await open(token)).toEqual(invalid);
  testEnv.advance(15 * MINUTE - 1);
  const last = await fixture.newToken(address);
  testEnv.advance(1);
  expect(await open(expired)).toEqual(invalid);
  testEnv.advance(15 * MINUTE - SECOND);
  expect(isRefusal(await open(last))).toBe(false);
});

it("opening a sign-in link asks AWS nothing for a malformed token", async () => {
  const strike = injectFaultAt(testEnv.clients, "before", 0);
  expect(await open("malformed")).toEqual(invalid);
  expect(strike.reached()).toBe(false);
  strike.remove();
});

it.each(faultPoints)(
  "a sign-in that dies at a call or loses its answer (%s) begins at most one session, and a new link signs the person in",
  async (point) => {
    for (let call = 0; ; call++) {
      const person = fixture.newPerson();
      if (call % 2 === 0) await fixture.newUser(person.address, 2);
      const token = await fixture.newToken(person.address);
      const strike = injectFaultAt(testEnv.clients, point, call);
      const [first] = await Promise.allSettled([open(token)]);
      strike.remove();
      if (!strike.reached()) break;
      const again = await open(token);
      const sessions = [first, { status: "fulfilled" as const, value: again }].filter(
        (result) => result?.status === "fulfilled" && !isRefusal(result.value),
      );
      expect(sessions.length, `call ${call}`).toBeLessThanOrEqual(1);
      // A crash after the link was used leaves no session: neither the first nor a second one.
      if (first?.status === "rejected" && point === "after") expect(again, `call ${call}`).toEqual(invalid);
      const { session } = await signedIn(await fixture.newToken(person.address));
      const caller = await callerOf(session.token);
      expect(caller.email).toBe(person.address);
      expect(await fixture.stores.users.getIdByAddress(fixture.hashes(person.address))).toBe(caller.userId);
    }
  },
);

it("signing out ends every session of the user from the next request on, and records it in each tenant once", async () => {
  const { tenants } = await fixture.newUser(address, 2);
  const tokens = [await fixture.newToken(address), await fixture.newToken(address)];
  const sessions = await Promise.all(tokens.map(signedIn));
  const callers = await Promise.all(sessions.map(({ session }) => callerOf(session.token)));
  await Promise.all(
    callers.map((caller) => signOut(fixture.ports(), { author: { caller, ip: IP }, now: testEnv.now() })),
  );
  for (const { session } of sessions) await expect(callerOf(session.token)).rejects.toThrow("not valid");
  for (const tenant of tenants) {
    expect(await auditRows(tenant, "session.sign_out")).toMatchObject([{ ip: IP, detail: {} }]);
  }
  const later = await signedIn(await fixture.newToken(address));
  expect(await callerOf(later.session.token)).toMatchObject({ email: address });
});

it.each(faultPoints)(
  "signing out that dies before or after a call, or loses its answer, is done once when repeated (%s)",
  async (point) => {
    for (let call = 0; ; call++) {
      const person = fixture.newPerson();
      const { tenants } = await fixture.newUser(person.address);
      const { session } = await signedIn(await fixture.newToken(person.address));
      const caller = await callerOf(session.token);
      const strike = injectFaultAt(testEnv.clients, point, call);
      await Promise.allSettled([signOut(fixture.ports(), { author: { caller, ip: IP }, now: testEnv.now() })]);
      strike.remove();
      if (!strike.reached()) break;
      await signOut(fixture.ports(), { author: { caller, ip: IP }, now: testEnv.now() });
      await expect(callerOf(session.token)).rejects.toThrow("not valid");
      expect(await auditRows(tenants[0] as TenantId, "session.sign_out"), `call ${call}`).toHaveLength(1);
    }
  },
);
