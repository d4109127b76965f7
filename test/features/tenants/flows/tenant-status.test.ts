import { beforeEach, expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { createOperatorKey } from "#features/access/flows/keys.ts";
import { setTenantStatus } from "#features/tenants/flows/tenant-status.ts";
import { tenantStore } from "#features/tenants/store/tenants.ts";
import { type Fault, withFaults } from "../../../support/faults.ts";
import { newTenant } from "../../../support/stores/samples.ts";
import { callerOf } from "../../access/flows/support/api-keys.ts";
import { settings, useKeyFixture } from "../../access/flows/support/key-fixture.ts";

const fixture = useKeyFixture();
const { audits, ports, testEnv } = fixture;
let tenant: TenantId;
let boundKey: string;
beforeEach(async () => {
  tenant = fixture.tenant();
  boundKey = await newKey();
});

const newKey = async () => (await fixture.newKey()).secret;
const setStatus = (status: "active" | "suspended", of = tenant) =>
  setTenantStatus(ports(), of, { status, author: { actor: "cli" } }, testEnv.now());
const callerWith = (secret: string) => callerOf(ports(), { secret }, testEnv.now());

/** Runs the work with faults, and again without them. */
async function runTwice(work: () => Promise<unknown>, faultAt: (index: number) => Fault): Promise<void> {
  await withFaults(
    testEnv.client,
    ({ index }) => faultAt(index),
    () => work().catch(() => null),
  );
  await work();
}

it("suspending a tenant refuses its keys from the next request on, and resuming it accepts them again", async () => {
  expect(await callerWith(boundKey)).toMatchObject({ kind: "tenant_key", tenant });
  expect(await setStatus("suspended")).toBe("completed");
  expect(await callerWith(boundKey)).toEqual({ refused: "tenant_suspended" });
  expect(await callerWith(await newKey())).toEqual({ refused: "tenant_suspended" });
  expect(await setStatus("active")).toBe("completed");
  expect(await callerWith(boundKey)).toMatchObject({ kind: "tenant_key", tenant });
});

it("suspending a tenant leaves an operator key its other tenants", async () => {
  const other = newTenant();
  const operatorKey = await createOperatorKey(ports(), [other, tenant], settings, testEnv.now());
  await setStatus("suspended");
  expect(await callerWith(operatorKey.secret)).toMatchObject({
    kind: "operator_key",
    tenants: [other, tenant],
    suspendedTenants: [tenant],
  });
});

it("suspending a tenant records each change once, with the new status, however often it is repeated", async () => {
  for (const status of ["suspended", "suspended", "active", "active"] as const) await setStatus(status);
  const changes = await audits("tenant.update");
  expect(changes.map(({ detail }) => detail.status).sort()).toEqual(["active", "suspended"]);
  for (const { resource, actor } of changes) expect([resource, actor]).toEqual([`tenant:${tenant}`, "cli"]);
});

it("suspending a tenant that crashes at any call, or whose responses are lost, is completed by the next run", async () => {
  for (const fault of ["crash", "lost"] as const) {
    for (let at = 0; at < 6; at++) {
      await runTwice(
        () => setStatus("suspended"),
        (index) => (index === at ? fault : "pass"),
      );
      expect(await callerWith(boundKey), `${fault} at ${at}`).toEqual({ refused: "tenant_suspended" });
      await runTwice(
        () => setStatus("active"),
        (index) => (index === at ? fault : "pass"),
      );
      expect(await callerWith(boundKey), `${fault} at ${at}`).toMatchObject({ tenant });
    }
  }
});

it("suspending a tenant while keys are created and another command resumes it ends with keys that agree with the tenant", async () => {
  for (let round = 0; round < 10; round++) {
    const [suspended, resumed, ...secrets] = await Promise.all([
      setStatus("suspended"),
      setStatus("active"),
      newKey(),
      newKey(),
    ]);
    expect([suspended, resumed]).toContain("completed");
    const { status } = (await tenantStore(testEnv.table).get(tenant)) ?? {};
    for (const secret of [boundKey, ...secrets]) {
      const expected = status === "suspended" ? { refused: "tenant_suspended" } : { tenant };
      expect(await callerWith(secret), `round ${round}, ${status}`).toMatchObject(expected);
    }
  }
});

it("suspending a tenant that does not exist is refused", async () => {
  expect(await setStatus("suspended", newTenant())).toBe("not_found");
});
