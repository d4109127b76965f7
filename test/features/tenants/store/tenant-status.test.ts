import { beforeEach, expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { AuditEntry } from "#features/access/rules/audit.ts";
import { apiKeyStore } from "#features/access/store/api-keys.ts";
import { auditStore } from "#features/access/store/audit.ts";
import { type TenantStatus, tenantStatusStore } from "#features/tenants/store/tenant-status.ts";
import { tenantStore } from "#features/tenants/store/tenants.ts";
import { openedOnce } from "../../../support/opened.ts";
import { NOW, newTenant } from "../../../support/stores/samples.ts";
import { openTestTable } from "../../../support/stores/test-table.ts";

let tenant: TenantId;
const table = openedOnce(openTestTable);
const apiKeys = openedOnce(() => apiKeyStore(table));
const tenants = openedOnce(() => tenantStore(table));
const statuses = openedOnce(() => tenantStatusStore(table));
const auditLog = openedOnce(() => auditStore(table));
beforeEach(async () => {
  tenant = await createTenant();
});

function entry(action: AuditEntry["action"], at = NOW): AuditEntry {
  return { action, resource: "-", actor: "cli", ip: null, detail: {}, at };
}

async function createTenant(): Promise<TenantId> {
  const id = newTenant();
  const created = { id, name: "Shop", status: "active", ownerEmail: null, createdAt: NOW } as const;
  await tenants.create(created, entry("tenant.create"));
  return id;
}

/** @returns the hash of the key */
async function createKey(keyTenants: readonly TenantId[] = [tenant]): Promise<string> {
  const id = newUlid(NOW);
  const kind = keyTenants.length === 1 ? "tenant" : "operator";
  const key = { id, kind, tenants: keyTenants, prefix: "svc_live_abcd", scope: "live", label: "" } as const;
  await apiKeys.create({ ...key, createdAt: NOW }, { hash: `hash-${id}`, kid: "kid" }, []);
  return `hash-${id}`;
}

const setStatus = async (status: TenantStatus, of = tenant) => {
  const result = await statuses.set(of, status, entry("tenant.update", NOW + 1));
  return [result, result === "not_found" ? null : await statuses.markKeys(of, status)];
};
const suspendedTenants = async (hash: string) => (await apiKeys.getByHash(hash))?.suspendedTenants;

it("a suspended tenant is on the row of each key that gives access to it, and of no other", async () => {
  const other = await createTenant();
  const [own, foreign, operator] = [await createKey(), await createKey([other]), await createKey([other, tenant])];
  expect(await setStatus("suspended")).toEqual(["set", true]);
  expect(await suspendedTenants(own)).toEqual([tenant]);
  expect(await suspendedTenants(foreign)).toEqual([]);
  expect(await suspendedTenants(operator)).toEqual([tenant]);
  await setStatus("suspended", other);
  expect(new Set(await suspendedTenants(operator))).toEqual(new Set([tenant, other]));
  expect(await setStatus("active")).toEqual(["set", true]);
  expect(await suspendedTenants(own)).toEqual([]);
  expect(await suspendedTenants(operator)).toEqual([other]);
  expect(await tenants.get(tenant)).toMatchObject({ status: "active" });
});

it("a suspended tenant has 100 keys or more, which take several transactions", async () => {
  const hashes: string[] = [];
  const other = await createTenant();
  for (let n = 0; n < 100; n++) hashes.push(await createKey([other, tenant]));
  expect(await setStatus("suspended")).toEqual(["set", true]);
  const marks = await Promise.all(hashes.map(suspendedTenants));
  expect(marks).toEqual(hashes.map(() => [tenant]));
});

it("a suspended tenant is suspended again without a second audit row, and its keys are marked again", async () => {
  await createKey();
  await setStatus("suspended");
  const late = await createKey();
  expect(await setStatus("suspended")).toEqual(["unchanged", true]);
  expect(await suspendedTenants(late)).toEqual([tenant]);
  const { rows } = await auditLog.list(tenant, { before: null, limit: 10, now: NOW + 1 });
  expect(rows.map(({ action }) => action)).toEqual(["tenant.update", "tenant.create"]);
});

it("a suspended tenant gives its mark to a key that is created later, and only as long as it is suspended", async () => {
  const other = await createTenant();
  await setStatus("suspended");
  expect(await suspendedTenants(await createKey())).toEqual([tenant]);
  expect(await suspendedTenants(await createKey([other, tenant]))).toEqual([tenant]);
  await setStatus("active");
  expect(await suspendedTenants(await createKey())).toEqual([]);
});

it("a suspended tenant that is resumed before its keys were marked marks none", async () => {
  const key = await createKey();
  await statuses.set(tenant, "suspended", entry("tenant.update"));
  await setStatus("active");
  expect(await statuses.markKeys(tenant, "suspended")).toBe(false);
  expect(await suspendedTenants(key)).toEqual([]);
});

it("a suspended tenant that does not exist is not created", async () => {
  const unknownTenant = newTenant();
  expect(await setStatus("suspended", unknownTenant)).toEqual(["not_found", null]);
  expect(await tenants.get(unknownTenant)).toBeNull();
});
