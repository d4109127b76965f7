import { newUlid } from "#base/kernel/ids.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { HOUR } from "#base/kernel/time.ts";
import { revokeKey } from "#features/access/flows/key-lists.ts";
import { createKey } from "#features/access/flows/keys.ts";
import type { Role } from "#features/access/rules/callers.ts";
import { sealSession } from "#features/access/sessions.ts";
import { membershipStore } from "#features/access/store/memberships.ts";
import { userStore } from "#features/access/store/users.ts";
import { auditOf } from "../../features/access/store/support/team-samples.ts";
import type { TestEnv } from "../../support/flows/test-env.ts";
import type { ApiApp } from "../../support/routes/api-app.ts";
import { newSession, type TestSession, toTestSession } from "../../support/routes/sessions.ts";
import { keyVersion } from "../../support/world/key-rings.ts";
import type { RouteWorld } from "./world.ts";

type Headers = Readonly<Record<string, string>>;

/**
 * What the door must make of a caller, as the contract has it:
 * - `refused`: 401
 * - `key`, `member`: accepted as a key, or as a member with a role
 * - `forged`: a session whose writes are refused
 * - `stranger`: of another tenant
 * - `suspended`: of the suspended tenant; `hasNoOther`: a key of it alone
 * - `ambiguous`: of several tenants, and the request names none
 * - `memberless`: a person of no tenant, and the request names none
 * - `malformed_tenant`: `?tenant=` has another shape
 */
export type Standing =
  | { readonly is: "refused" | "stranger" | "ambiguous" | "memberless" | "malformed_tenant" }
  | { readonly is: "suspended"; readonly hasNoOther?: true }
  | { readonly is: "key"; readonly isTest?: true }
  | { readonly is: "member" | "forged"; readonly role: Role };

/** One way to call a route. */
export interface RouteCaller {
  readonly headers: Headers;
  /** Null when the request names no tenant. */
  readonly tenant: string | null;
  /** The kind of the credential that counts. */
  readonly kind: "none" | "key" | "session";
  readonly standing: Standing;
  /** Its `actor_id`: a session's own. */
  readonly actorId: string;
  /** Whose resources it names where the tenant comes from the resource. Default: the own tenant's. */
  readonly resources?: "paused";
}

const FORGED: Headers = { origin: "https://evil.example" };

/** Every caller of the table, by its name. */
export async function openRouteCallers(
  testEnv: TestEnv,
  api: ApiApp,
  { own, theirs, paused }: RouteWorld,
): Promise<Readonly<Record<string, RouteCaller>>> {
  const { table } = testEnv;
  const { sessionKeys } = api.ports;
  const memberOf = (...memberships: (readonly [TenantId, Role])[]) =>
    newSession({ table, sessionKeys, now: testEnv.now() }, memberships);
  const newKey = async (tenant: TenantId, scope: "live" | "test" = "live") => {
    const key = await createKey(api.ports, tenant, { scope, label: "", author: { actor: "cli" } }, testEnv.now());
    if (isRefusal(key)) throw new Error(key.refused);
    return key;
  };

  const [ownKey, testKey, theirKey] = [await newKey(own), await newKey(own, "test"), await newKey(theirs)];
  const pausedKey = await newKey(paused);
  const operatorKey = await api.newOperatorKey([own, paused]);
  const revoked = await newKey(own);
  await revokeKey(api.ports, { tenant: own, keyId: revoked.id, author: { actor: "cli" }, now: testEnv.now() });

  const [agent, admin, owner] = [
    await memberOf([own, "agent"]),
    await memberOf([own, "admin"]),
    await memberOf([own, "owner"]),
  ];
  const memberless = await memberOf();
  const several = await memberOf([own, "agent"], [theirs, "owner"]);
  const pausedOwner = await memberOf([paused, "owner"]);
  const signedOut = await memberOf([own, "owner"]);
  await userStore(table).raiseEpoch(signedOut.userId, { epoch: 0, audits: [], op: newUlid(testEnv.now()) });
  const removed = await memberOf([own, "admin"]);
  const membership = await membershipStore(table).get(own, removed.userId);
  if (!membership) throw new Error("The member is missing.");
  await membershipStore(table).remove(membership, { audit: auditOf("member.remove"), actor: null });
  const ring = await sessionKeys();
  const owned = { userId: owner.userId, epoch: 0, now: testEnv.now() };
  const expired = toTestSession(owner.userId, await sealSession(ring, { ...owned, now: testEnv.now() - 12 * HOUR }));
  const otherRing = { ...ring, current: keyVersion(Buffer.alloc(32, 9)) };
  const unknownKid = toTestSession(owner.userId, await sealSession(otherRing, owned));
  const otherSecret = { ...otherRing, current: { ...otherRing.current, kid: ring.current.kid } };
  const wrongSecret = toTestSession(owner.userId, await sealSession(otherSecret, owned));
  const unsigned = [{ alg: "none" }, { sub: owner.userId }].map((part) =>
    Buffer.from(JSON.stringify(part)).toString("base64url"),
  );

  const bearer = (secret: string): Headers => ({ authorization: `Bearer ${secret}` });
  const key = (headers: Headers, standing: Standing, tenant: string | null = null): RouteCaller => ({
    headers,
    tenant,
    kind: "key",
    standing,
    actorId: "console:anyone",
  });
  const session = (
    { actorId, writeHeaders }: TestSession,
    standing: Standing,
    { headers = writeHeaders, tenant = null }: { headers?: Headers; tenant?: string | null } = {},
  ): RouteCaller => ({ headers, tenant, kind: "session", standing, actorId });
  const refusedKey = (headers: Headers) => key(headers, { is: "refused" });
  const refusedCookie = (cookie: string) =>
    session(owner, { is: "refused" }, { headers: { ...owner.writeHeaders, cookie } });
  const forged = (headers: Headers) => session(owner, { is: "forged", role: "owner" }, { headers });
  const isMember = (role: Role): Standing => ({ is: "member", role });
  const accepted: Standing = { is: "key" };

  return {
    "no credential": { ...refusedKey({}), kind: "none" },
    "an empty Authorization header": refusedKey({ authorization: "" }),
    "an Authorization header without a scheme": refusedKey({ authorization: ownKey.secret }),
    "another scheme": refusedKey({ authorization: `Basic ${btoa(`${ownKey.secret}:`)}` }),
    "two Authorization headers": refusedKey({ authorization: `Bearer ${ownKey.secret}, Bearer ${ownKey.secret}` }),
    "an Authorization header of 201 characters": refusedKey(bearer(`${ownKey.secret}${"x".repeat(139)}`)),
    "a key and spaces, 201 characters": refusedKey({
      authorization: `Bearer${" ".repeat(201 - "Bearer".length - ownKey.secret.length)}${ownKey.secret}`,
    }),
    "a key with a wrong checksum": refusedKey(
      bearer(`${ownKey.secret.slice(0, -1)}${ownKey.secret.endsWith("0") ? 1 : 0}`),
    ),
    "a key in lower case": refusedKey(bearer(ownKey.secret.toLowerCase())),
    "an unknown key": refusedKey(bearer("svc_live_0123456789012345678901234567890123456789000000")),
    "a revoked key": refusedKey(bearer(revoked.secret)),
    "a session token as a key": refusedKey(bearer(owner.token)),
    "a key": key(bearer(ownKey.secret), accepted),
    "a key with its tenant": key(bearer(ownKey.secret), accepted, own),
    "a key in other letters of the scheme": key({ authorization: `bearer ${ownKey.secret}` }, accepted),
    "a key with a malformed tenant": key(bearer(ownKey.secret), { is: "malformed_tenant" }, "X"),
    "a test key": key(bearer(testKey.secret), { is: "key", isTest: true }),
    "another tenant's key": key(bearer(theirKey.secret), { is: "stranger" }, own),
    "a suspended tenant's key": {
      ...key(bearer(pausedKey.secret), { is: "suspended", hasNoOther: true }),
      resources: "paused",
    },
    "an operator key": key(bearer(operatorKey), accepted, own),
    "an operator key without a tenant": key(bearer(operatorKey), { is: "ambiguous" }),
    "an operator key with another tenant": key(bearer(operatorKey), { is: "stranger" }, theirs),
    "an operator key with a suspended tenant": {
      ...key(bearer(operatorKey), { is: "suspended" }, paused),
      resources: "paused",
    },

    "an agent": session(agent, isMember("agent")),
    "an admin": session(admin, isMember("admin")),
    "an owner": session(owner, isMember("owner")),
    "an owner with their tenant": session(owner, isMember("owner"), { tenant: own }),
    "a session with a malformed tenant": session(owner, { is: "malformed_tenant" }, { tenant: "X" }),
    "a member of two tenants without one": session(several, { is: "ambiguous" }),
    "a member of two tenants with one": session(several, isMember("agent"), { tenant: own }),
    "a member of no tenant": session(memberless, { is: "memberless" }),
    "a member of no tenant with one": session(memberless, { is: "stranger" }, { tenant: own }),
    "an owner of another tenant": session(pausedOwner, { is: "stranger" }, { tenant: own }),
    "a member who was removed": session(removed, { is: "stranger" }, { tenant: own }),
    "an owner of a suspended tenant": { ...session(pausedOwner, { is: "suspended" }), resources: "paused" },
    "an expired session": session(expired, { is: "refused" }),
    "a session that was signed out": session(signedOut, { is: "refused" }),
    "a session of an unknown key": session(unknownKid, { is: "refused" }),
    "a session of another secret": session(wrongSecret, { is: "refused" }),
    "an unsigned session": refusedCookie(`console_session=${unsigned.join(".")}.`),
    "an empty session": refusedCookie("console_session="),
    "a session in quotes": refusedCookie(`console_session="${owner.token}"`),
    "a session of 8 KB": refusedCookie(`console_session=${owner.token}${"x".repeat(8 * 1024)}`),
    "two sessions": refusedCookie(`console_session=${owner.token}; console_session=${admin.token}`),
    "a session under a name with a no-break space": refusedCookie(`\u00a0console_session=${owner.token}`),
    "a session beside one with a no-break space": refusedCookie(
      `console_session=${owner.token}; \u00a0console_session=${admin.token}`,
    ),
    "a CSRF token alone": { ...refusedCookie(`console_csrf=${owner.csrfToken}`), kind: "none" },
    "a session without its CSRF token": forged(owner.headers),
    "a session with another CSRF token": forged({ ...owner.headers, "x-csrf-token": admin.csrfToken }),
    "a session with a CSRF token and more": forged({ ...owner.headers, "x-csrf-token": `${owner.csrfToken}x` }),
    "a session from another origin": forged({ ...owner.writeHeaders, ...FORGED }),
    "a session from another site": forged({ ...owner.writeHeaders, "sec-fetch-site": "cross-site" }),
    "a session from the console": session(owner, isMember("owner"), {
      headers: { ...owner.writeHeaders, origin: api.ports.consoleOrigin, "sec-fetch-site": "same-site" },
    }),
    "a key beside a session, without its CSRF token, from another origin": key(
      { ...bearer(ownKey.secret), ...owner.headers, ...FORGED },
      accepted,
    ),
    "a key beside two sessions": key(
      { ...bearer(ownKey.secret), cookie: `console_session=${owner.token}; console_session=x` },
      accepted,
    ),
    "an unknown key beside a session": refusedKey({
      ...owner.writeHeaders,
      ...bearer("svc_live_0123456789012345678901234567890123456789000000"),
    }),
    "a revoked key beside a session": refusedKey({ ...owner.writeHeaders, ...bearer(revoked.secret) }),
    "another scheme beside a session": refusedKey({ ...owner.writeHeaders, authorization: "Basic eA==" }),
  };
}
