import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { apiKeyHash } from "#features/access/authenticate.ts";
import { listKeys, revokeKey } from "#features/access/flows/key-lists.ts";
import { type CreatedKey, createKey as create } from "#features/access/flows/keys.ts";
import type { AuditAction } from "#features/access/rules/audit.ts";
import type { Caller } from "#features/access/rules/callers.ts";
import type { Scope } from "#features/access/rules/scope.ts";
import { createTenant } from "#features/tenants/flows/tenants.ts";
import { openTestEnv, type TestEnv } from "../../../../support/flows/test-env.ts";
import { openedOnce } from "../../../../support/opened.ts";
import { openStores } from "../../../../support/stores/open-stores.ts";
import { newTenant } from "../../../../support/stores/samples.ts";
import { callerOf, createKey } from "./api-keys.ts";

export const settings = { scope: "live", label: "", author: { actor: "cli" } } as const;
export const unauthorized = expect.objectContaining({ refused: "unauthorized" });

/** Opens an environment for the tests of a file, and a tenant without keys for each test. */
export function useKeyFixture(open: () => Promise<TestEnv> = openTestEnv) {
  const testEnv = openedOnce(open);
  const queues = openedOnce(() => testEnv.newQueues());
  let tenant: TenantId;
  beforeEach(openTenant);

  const ports = () => ({
    ...testEnv.apiPorts(queues),
    ...openStores(testEnv.table),
    addressKeys: testEnv.addressKeys,
  });

  async function createNewTenant(): Promise<TenantId> {
    const slug = newTenant();
    await createTenant(ports(), slug, { name: "Shop", ownerEmail: null, author: { actor: "cli" } }, testEnv.now());
    return slug;
  }

  /** Another tenant replaces the test's. */
  async function openTenant(): Promise<void> {
    tenant = await createNewTenant();
  }

  const newKey = (scope: Scope = "live", of = tenant) => createKey(ports(), of, { ...settings, scope }, testEnv.now());
  const callerFor = (scope: Scope): Caller => ({ kind: "tenant_key", keyId: "k1", tenant, scope });
  const list = async (of = tenant) => listKeys(ports(), of, testEnv.now());
  const activeIds = async () => (await list()).flatMap(({ id, status }) => (status === "active" ? [id] : []));

  return {
    testEnv,
    tenant: () => tenant,
    ports,
    createNewTenant,
    openTenant,
    newKey,
    callerFor,
    list,
    activeIds,
    callerWith: (key: CreatedKey) => callerOf(ports(), key, testEnv.now()),
    revoke: (keyId: string, scope: Scope = "live") =>
      revokeKey(ports(), { tenant, keyId, author: { caller: callerFor(scope), ip: "192.0.2.1" }, now: testEnv.now() }),

    async audits(action: AuditAction, of = tenant) {
      const { rows } = await ports().audit.list(of, { before: null, limit: 200, now: testEnv.now() });
      return rows.filter((row) => row.action === action);
    },

    /** Both rows of a key as they are stored. */
    async storedRows({ id, secret }: CreatedKey) {
      const read = async (PK: string, SK: string) =>
        (await testEnv.table.client.send(new GetCommand({ TableName: testEnv.table.name, Key: { PK, SK } }))).Item;
      const { current } = await ports().peppers();
      return [await read(`T#${tenant}`, `KEY#${id}`), await read(`K#${apiKeyHash(current.key, secret)}`, "K")];
    },

    /** The number of keys that can still be created is exact. */
    async expectExactCount(): Promise<void> {
      for (let active = (await activeIds()).length; active < 50; active++) await newKey("test");
      expect(await create(ports(), tenant, settings, testEnv.now())).toEqual({ refused: "key_limit" });
    },
  };
}
