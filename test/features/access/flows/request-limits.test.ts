import { beforeEach, expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { enforceRateLimit } from "#features/access/authenticate.ts";
import type { Caller, SessionCaller } from "#features/access/rules/callers.ts";
import { requestQuotaStore } from "#features/access/store/request-quota.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { newTenant } from "../../../support/stores/samples.ts";

const testEnv = openedOnce(openTestEnv);

let tenant: TenantId;
beforeEach(() => {
  tenant = newTenant();
});

const ports = (perTenant?: number) => ({ requestQuota: requestQuotaStore(testEnv.table, perTenant) });
const keyOf = (of: TenantId, keyId: string): Caller => ({ kind: "tenant_key", keyId, tenant: of, scope: "live" });
const memberOf = (userId: string, ...tenants: readonly TenantId[]): SessionCaller => ({
  kind: "session",
  userId,
  email: "person@example.com",
  name: null,
  expiresAt: 0,
  epoch: 0,
  csrfToken: "",
  scope: "live",
  memberships: tenants.map((each) => ({ tenant: each, role: "owner", isSuspended: false })),
});

const callerOf = (keyId: string) => keyOf(newTenant(), keyId);

it("the rate limit of a key is 600 requests a minute, exact for 601 concurrent requests, and resets in the next minute", async () => {
  testEnv.advance(MINUTE - (testEnv.now() % MINUTE) + 17 * SECOND + 1);
  const caller = callerOf("busy");
  const answers = await Promise.all(
    Array.from({ length: 601 }, () => enforceRateLimit(ports(), caller, testEnv.now())),
  );
  const refused = answers.filter(({ refusal }) => refusal !== null);
  expect(refused).toEqual([
    { limit: 600, remaining: 0, resetSeconds: 43, refusal: { refused: "too_many_requests", retryAfter: 43 } },
  ]);
  const remaining = answers.map((answer) => answer.remaining).sort((a, b) => a - b);
  expect(remaining).toEqual([0, ...Array.from({ length: 600 }, (_, i) => i)]);
  testEnv.advance(43 * SECOND - 2);
  expect(await enforceRateLimit(ports(), caller, testEnv.now())).toMatchObject({
    refusal: { refused: "too_many_requests", retryAfter: 1 },
  });
  expect((await enforceRateLimit(ports(), callerOf("idle"), testEnv.now())).refusal).toBeNull();
  testEnv.advance(1);
  expect((await enforceRateLimit(ports(), caller, testEnv.now())).refusal).toBeNull();
});

it("the rate limit of a key returns a Retry-After of a whole minute at its start", async () => {
  const start = testEnv.now() + MINUTE - (testEnv.now() % MINUTE);
  const caller = callerOf("early");
  for (let i = 0; i < 600; i += 100) {
    await Promise.all(Array.from({ length: 100 }, () => enforceRateLimit(ports(), caller, start)));
  }
  expect(await enforceRateLimit(ports(), caller, start)).toMatchObject({ refusal: { retryAfter: 60 } });
});

const count = (limits: ReturnType<typeof ports>, caller: Caller, named?: TenantId) =>
  enforceRateLimit(limits, caller, testEnv.now(), named);

it("the rate limit of a tenant is 6,000 requests a minute unless the operator sets another number", async () => {
  const keys = Array.from({ length: 11 }, (_, index) => keyOf(tenant, `key${index}`));
  const answers = await Promise.all(keys.flatMap((key) => Array.from({ length: 550 }, () => count(ports(), key))));
  expect(answers.filter(({ refusal }) => refusal === null)).toHaveLength(6_000);
  expect(answers.find(({ refusal }) => refusal !== null)).toMatchObject({ limit: 6_000, remaining: 0 });
});

it("the rate limit of a tenant is shared by its keys and members, and by no other tenant", async () => {
  const limits = ports(4);
  const [key, otherKey, person] = [keyOf(tenant, "one"), keyOf(tenant, "two"), memberOf("three", tenant)];
  expect(await count(limits, key)).toMatchObject({ limit: 4, remaining: 3, refusal: null });
  expect(await count(limits, otherKey)).toMatchObject({ limit: 4, remaining: 2, refusal: null });
  expect(await count(limits, person)).toMatchObject({ limit: 4, remaining: 1, refusal: null });
  expect(await count(limits, memberOf("four", newTenant(), tenant), tenant)).toMatchObject({ remaining: 0 });
  const resetSeconds = Math.ceil((MINUTE - (testEnv.now() % MINUTE)) / SECOND);
  const refused = {
    limit: 4,
    remaining: 0,
    resetSeconds,
    refusal: { refused: "too_many_requests", retryAfter: resetSeconds },
  };
  for (const caller of [key, otherKey, person]) expect(await count(limits, caller)).toEqual(refused);
  expect(await count(limits, memberOf("four", newTenant(), tenant), tenant)).toEqual(refused);
  expect(await count(limits, keyOf(newTenant(), "five"))).toMatchObject({ remaining: 3, refusal: null });
  testEnv.advance(resetSeconds * SECOND);
  expect(await count(limits, key)).toMatchObject({ remaining: 3, refusal: null });
});

it("the rate limit of a tenant is exact for concurrent requests", async () => {
  const limits = ports(10);
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, index) => count(limits, keyOf(tenant, `key${index % 3}`))),
  );
  expect(answers.filter(({ refusal }) => refusal === null)).toHaveLength(10);
});

it("the rate limit of a tenant is not consumed by a caller beyond the caller's own limit", async () => {
  const busy = keyOf(tenant, "busy");
  await Promise.all(Array.from({ length: 700 }, () => count(ports(700), busy)));
  expect(await count(ports(700), busy)).toMatchObject({ limit: 600, refusal: { refused: "too_many_requests" } });
  expect(await count(ports(700), keyOf(tenant, "other"))).toMatchObject({ limit: 700, remaining: 99, refusal: null });
});

it("the rate limit of a tenant is not used by a stranger who names the tenant, and by no operator key", async () => {
  const limits = ports(2);
  const stranger = memberOf("stranger", newTenant(), newTenant());
  const operator: Caller = {
    kind: "operator_key",
    keyId: "operator",
    tenants: [tenant],
    suspendedTenants: [],
    scope: "live",
  };
  for (const caller of [stranger, operator, memberOf("none")]) {
    for (let i = 0; i < 3; i++)
      expect(await count(limits, caller, tenant)).toMatchObject({ limit: 600, refusal: null });
  }
  expect(await count(limits, keyOf(tenant, "one"))).toMatchObject({ remaining: 1 });
});

it("the rate limit of a tenant does not raise that of a person in all their tenants", async () => {
  const others = [newTenant(), newTenant()];
  const person = memberOf("person", tenant, ...others);
  const answers = await Promise.all(
    [tenant, ...others].flatMap((named) => Array.from({ length: 250 }, () => count(ports(), person, named))),
  );
  expect(answers.filter(({ refusal }) => refusal === null)).toHaveLength(600);
});

it("the pace is that of the caller until the tenant's limit is nearer", async () => {
  const limits = ports(601);
  const key = keyOf(tenant, "one");
  expect(await enforceRateLimit(limits, key, testEnv.now())).toMatchObject({ limit: 600, remaining: 599 });
  await enforceRateLimit(limits, keyOf(tenant, "two"), testEnv.now());
  await enforceRateLimit(limits, keyOf(tenant, "two"), testEnv.now());
  expect(await enforceRateLimit(limits, key, testEnv.now())).toMatchObject({ limit: 601, remaining: 597 });
});
