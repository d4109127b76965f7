import { expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import {
  type Caller,
  callerActor,
  hasRole,
  implicitTenant,
  type Role,
  refuseActor,
  refuseRole,
  refuseTenant,
  roles,
} from "#features/access/rules/callers.ts";

const acme = "acme" as TenantId;
const globex = "globex" as TenantId;
const session = (...memberships: (readonly [TenantId, Role, boolean?])[]): Caller => ({
  kind: "session",
  userId: "usr_1",
  email: "ann@example.com",
  name: null,
  expiresAt: 0,
  epoch: 0,
  csrfToken: "",
  scope: "live",
  memberships: memberships.map(([tenant, role, isSuspended = false]) => ({ tenant, role, isSuspended })),
});
const key: Caller = { kind: "tenant_key", keyId: "k1", tenant: acme, scope: "live" };

it("each role includes the ones below it", () => {
  const permitted = roles.map((role) => roles.filter((least) => hasRole(role, least)));
  expect(permitted).toEqual([["agent"], ["agent", "admin"], ["agent", "admin", "owner"]]);
});

it("the tenant of a person's request is their only one when the request names none", () => {
  expect(implicitTenant(session([acme, "agent"]))).toBe(acme);
  expect(implicitTenant(session([acme, "agent"], [globex, "owner"]))).toBeNull();
  expect(implicitTenant(session())).toBeNull();
});

it("the tenant of a person's request is one of theirs, and not suspended", () => {
  const person = session([acme, "agent"], [globex, "owner", true]);
  expect(refuseTenant(person, acme, "hold_not_found")).toBeNull();
  expect(refuseTenant(person, globex, "hold_not_found")).toMatchObject({ refused: "tenant_suspended" });
  expect(refuseTenant(person, "initech" as TenantId, "hold_not_found")).toMatchObject({ refused: "hold_not_found" });
});

it("the tenant of a person's request is the one whose role counts", () => {
  const person = session([acme, "agent"], [globex, "owner"]);
  expect(refuseRole(person, acme, "admin")).toMatchObject({ refused: "role_forbidden" });
  expect(refuseRole(person, globex, "admin")).toBeNull();
  expect(refuseRole(person, "initech" as TenantId, "agent")).toMatchObject({ refused: "role_forbidden" });
  expect(refuseRole(key, acme, "owner")).toBeNull();
});

it("a person names only themselves as the actor, and a key anyone", () => {
  const person = session([acme, "agent"]);
  expect(callerActor(person)).toBe("console:usr_1");
  expect(refuseActor(person, "console:usr_1")).toBeNull();
  expect(refuseActor(person, null)).toBeNull();
  for (const actor of ["console:usr_2", "usr_1", "", "console:usr_1 "]) {
    expect(refuseActor(person, actor)).toMatchObject({ refused: "actor_forbidden" });
  }
  expect(refuseActor(key, "ann")).toBeNull();
});
