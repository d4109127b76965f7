import { GetCommand, QueryCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Caller } from "../../../../shared/domain/access/callers.ts";
import { authenticate } from "../../../../shared/flows/access/authenticate.ts";
import { apiKeyHash } from "../../../../shared/flows/access/find-key.ts";
import { listKeys, listOperatorKeys, revokeKey, revokeOperatorKey } from "../../../../shared/flows/access/key-lists.ts";
import { type CreatedKey, createKey as create, createOperatorKey } from "../../../../shared/flows/access/keys.ts";
import { changeMemberRole, removeMember } from "../../../../shared/flows/access/team/members.ts";
import { setTenantStatus } from "../../../../shared/flows/access/tenant-status.ts";
import { createTenant } from "../../../../shared/flows/access/tenants.ts";
import { newUlid } from "../../../../shared/kernel/ids.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { DAY, HOUR, SECOND } from "../../../../shared/kernel/time.ts";
import { auditStore } from "../../../../shared/stores/access/audit.ts";
import { tenantStatusStore } from "../../../../shared/stores/access/tenant-status.ts";
import { tenantStore } from "../../../../shared/stores/access/tenants.ts";
import { newTenant, siblingId } from "../../stores/support/samples.ts";
import { FAULT_STEP, faultPoints, firstFault, injectFaultAt } from "../support/fault-injection.ts";
import { openTestEnv, type TestEnv, type TestQueues } from "../support/test-env.ts";
import { callerOf, createKey } from "./support/api-keys.ts";
import { openTeamEnv } from "./team/support/team.ts";

let testEnv: TestEnv;
let queues: TestQueues;
let tenant: TenantId;
beforeAll(async () => {
  testEnv = await openTestEnv();
  queues = await testEnv.newQueues();
});
afterAll(() => testEnv.close());
beforeEach(async () => {
  tenant = await createNewTenant();
});

const ports = () => ({
  ...testEnv.apiPorts(queues),
  tenants: tenantStore(testEnv.table),
  addressKeys: testEnv.addressKeys,
  tenantStatuses: tenantStatusStore(testEnv.table),
});

async function createNewTenant(): Promise<TenantId> {
  const slug = newTenant();
  await createTenant(ports(), slug, { name: "Shop", ownerEmail: null, actor: "cli" }, testEnv.now());
  return slug;
}

const settings = { scope: "live", label: "", actor: "cli" } as const;
const newKey = (scope: "live" | "test" = "live", of = tenant) =>
  createKey(ports(), of, { ...settings, scope }, testEnv.now());
const callerFor = (scope: "live" | "test"): Caller => ({ kind: "tenant_key", keyId: "k1", tenant, scope });
const revoke = (keyId: string, scope: "live" | "test" = "live") =>
  revokeKey(ports(), { tenant, keyId, actor: { caller: callerFor(scope), ip: "192.0.2.1" }, now: testEnv.now() });
const list = async (of = tenant) => listKeys(ports(), of, testEnv.now());
const activeIds = async () => (await list()).flatMap(({ id, status }) => (status === "active" ? [id] : []));
const callerWith = (key: CreatedKey) => callerOf(ports(), key, testEnv.now());
const unauthorized = { refused: "unauthorized" };

async function audits(action: "key.create" | "key.revoke" | "operator_key.revoke", of = tenant) {
  const { rows } = await auditStore(testEnv.table).list(of, { before: null, limit: 200, now: testEnv.now() });
  return rows.filter((row) => row.action === action);
}

/** Both rows of a key as they are stored. */
async function storedRows({ id, secret }: CreatedKey) {
  const read = async (PK: string, SK: string) =>
    (await testEnv.table.client.send(new GetCommand({ TableName: testEnv.table.name, Key: { PK, SK } }))).Item;
  return [
    await read(`T#${tenant}`, `KEY#${id}`),
    await read(`K#${apiKeyHash((await ports().peppers()).current.key, secret)}`, "K"),
  ];
}

/** The number of keys that can still be created is exact. */
async function expectExactCount(): Promise<void> {
  for (let active = (await activeIds()).length; active < 50; active++) await newKey("test");
  expect(await create(ports(), tenant, settings, testEnv.now())).toEqual({ refused: "key_limit" });
}

describe("a tenant's keys", () => {
  it("are listed oldest first, without a secret, and without those of others", async () => {
    const first = await newKey();
    testEnv.advance(SECOND);
    const second = await newKey("test");
    await newKey("live", await createNewTenant());
    await createOperatorKey(ports(), [tenant], settings, testEnv.now());
    const keys = await list();
    expect(keys).toMatchObject([
      { id: first.id, prefix: first.prefix, scope: "live", status: "active", lastUsedAt: null },
      { id: second.id, prefix: second.prefix, scope: "test", status: "active", lastUsedAt: null },
    ]);
    expect(JSON.stringify(keys)).not.toContain(first.secret.slice(14));
  });

  it("are at most 50: the next one is refused without a trace, and a revoked one frees its place once", async () => {
    const keys: CreatedKey[] = [];
    for (let n = 0; n < 50; n++) keys.push(await newKey());
    expect(await create(ports(), tenant, settings, testEnv.now())).toEqual({ refused: "key_limit" });
    expect(await list()).toHaveLength(50);
    expect(await audits("key.create")).toHaveLength(50);
    for (const _ of [1, 2]) expect(await revoke(keys[7]?.id ?? "")).toBeNull();
    await newKey();
    expect(await create(ports(), tenant, settings, testEnv.now())).toEqual({ refused: "key_limit" });
  });

  it("of a tenant that does not exist are neither created nor counted", async () => {
    const unknown = newTenant();
    expect(await create(ports(), unknown, settings, testEnv.now())).toEqual(unauthorized);
    const { Items } = await testEnv.table.client.send(
      new ScanCommand({
        TableName: testEnv.table.name,
        FilterExpression: "contains(PK, :slug)",
        ExpressionAttributeValues: { ":slug": unknown },
      }),
    );
    expect(Items).toEqual([]);
  });

  it("get one more when ten requests compete for the last of fifty places", async () => {
    for (let n = 0; n < 49; n++) await newKey();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => create(ports(), tenant, settings, testEnv.now())),
    );
    expect(answers.filter((answer) => !isRefusal(answer))).toHaveLength(1);
    expect(answers.filter(isRefusal)).toEqual(Array(9).fill({ refused: "key_limit" }));
    expect(await activeIds()).toHaveLength(50);
  });

  it("are limited while the tenant is suspended, too", async () => {
    await setTenantStatus(ports(), tenant, { status: "suspended", actor: "cli" }, testEnv.now());
    const key = await newKey();
    expect(await callerWith(key)).toEqual({ refused: "tenant_suspended" });
    await expectExactCount();
    await setTenantStatus(ports(), tenant, { status: "active", actor: "cli" }, testEnv.now());
    expect(await callerWith(key)).toMatchObject({ keyId: key.id });
  });

  it.each(["removed", "demoted"])("are not created by a request in progress of an admin who was %s", async (change) => {
    const team = openTeamEnv(testEnv);
    const [owner, admin] = [await team.newMember(tenant, "owner"), await team.newMember(tenant, "admin")];
    const request = { ...(await team.acting(admin)), scope: "live", label: "" } as const;
    expect(await create(ports(), tenant, request, testEnv.now())).toHaveProperty("secret");
    const of = { tenant, userId: admin, acting: await team.acting(owner), now: testEnv.now() };
    await (change === "removed"
      ? removeMember(team.ports, of)
      : changeMemberRole(team.ports, { ...of, role: "agent" }));
    expect(await create(ports(), tenant, request, testEnv.now())).toEqual({ refused: "role_forbidden" });
    await setTenantStatus(ports(), tenant, { status: "suspended", actor: "cli" }, testEnv.now());
    expect(await create(ports(), tenant, request, testEnv.now())).toEqual({ refused: "role_forbidden" });
    expect(await list()).toHaveLength(1);
    expect(await audits("key.create")).toHaveLength(1);
    await expectExactCount();
  });

  it("are created live by a live key and the command line only", async () => {
    const by = (scope: "live" | "test") => ({ caller: callerFor(scope), ip: null, label: "" });
    const mint = (by_: ReturnType<typeof by>, scope: "live" | "test") =>
      create(ports(), tenant, { ...by_, scope }, testEnv.now());
    expect(await mint(by("test"), "live")).toEqual({ refused: "live_key_required" });
    expect(await list()).toEqual([]);
    expect(await mint(by("test"), "test")).toMatchObject({ scope: "test" });
    expect(await mint(by("live"), "live")).toMatchObject({ scope: "live" });
  });

  it.each(faultPoints)(
    "are counted exactly and audited once each, despite a fault (%s) at any call",
    async (faultPoint) => {
      for (let k = firstFault(faultPoint), reached = true; reached; k += FAULT_STEP) {
        tenant = await createNewTenant();
        const oldKey = await newKey();
        const injection = injectFaultAt(testEnv.clients, faultPoint, k);
        const key = await newKey().catch(() => null);
        await revoke(oldKey.id).catch(() => null);
        injection.remove();
        reached = injection.reached();
        await revoke(oldKey.id);
        expect(await callerWith(oldKey)).toEqual(unauthorized);
        if (key) expect(await callerWith(key)).toMatchObject({ keyId: key.id });
        expect(await audits("key.revoke")).toHaveLength(1);
        expect((await audits("key.create")).map(({ resource }) => resource).sort()).toEqual(
          (await list()).map(({ id }) => `key:${id}`).sort(),
        );
        await expectExactCount();
      }
    },
  );
});

describe("a revoked key", () => {
  it("is refused from the next request on, and is still listed", async () => {
    const [key, other] = [await newKey(), await newKey()];
    expect(await callerWith(key)).toMatchObject({ keyId: key.id });
    expect(await revoke(key.id)).toBeNull();
    expect(await callerWith(key)).toEqual(unauthorized);
    expect(await callerWith(other)).toMatchObject({ keyId: other.id });
    expect((await list()).map(({ id, status }) => [id, status]).sort()).toEqual(
      [
        [key.id, "revoked"],
        [other.id, "active"],
      ].sort(),
    );
  });

  it("leaves one audit row with its revoker, also when it is revoked again or ten times at once", async () => {
    const key = await newKey();
    expect(await Promise.all(Array.from({ length: 10 }, () => revoke(key.id)))).toEqual(Array(10).fill(null));
    testEnv.advance(DAY);
    expect(await revoke(key.id)).toBeNull();
    expect(await audits("key.revoke")).toMatchObject([
      { resource: `key:${key.id}`, actor: "key:k1", ip: "192.0.2.1", detail: { scope: "live" } },
    ]);
    await expectExactCount();
  });

  it("is refused to a test key while it is live, and stays active", async () => {
    const [live, test] = [await newKey("live"), await newKey("test")];
    expect(await revoke(live.id, "test")).toEqual({ refused: "live_key_required" });
    expect(await callerWith(live)).toMatchObject({ keyId: live.id });
    expect(await revoke(test.id, "test")).toBeNull();
    expect(await callerWith(test)).toEqual(unauthorized);
  });

  it("that is unknown, malformed, foreign or an operator's is not found, and nothing changes", async () => {
    const key = await newKey();
    const foreign = await newKey("live", await createNewTenant());
    const operator = await createOperatorKey(ports(), [tenant], settings, testEnv.now());
    const unknown = [
      siblingId(key.id),
      key.id.toLowerCase(),
      `${key.id}#`,
      "",
      key.prefix,
      key.secret,
      "x".repeat(3_000),
    ];
    for (const id of [...unknown, newUlid(testEnv.now()), foreign.id, operator.id]) {
      expect(await revoke(id), id).toEqual({ refused: "key_not_found" });
    }
    for (const each of [key, foreign, operator]) expect(await callerWith(each)).toMatchObject({ keyId: each.id });
    expect(await audits("key.revoke")).toEqual([]);
  });

  it("is listed for 90 days to the millisecond, and both of its rows expire then", async () => {
    const key = await newKey();
    testEnv.advance(SECOND - (testEnv.now() % SECOND));
    await revoke(key.id);
    const expiry = (testEnv.now() + 90 * DAY) / SECOND;
    for (const row of await storedRows(key)) expect(row).toMatchObject({ st: "revoked", x: expiry });
    testEnv.advance(90 * DAY - 1);
    expect(await list()).toMatchObject([{ id: key.id, status: "revoked" }]);
    expect(await revoke(key.id)).toBeNull();
    testEnv.advance(1);
    expect(await list()).toEqual([]);
    expect(await revoke(key.id)).toEqual({ refused: "key_not_found" });
  });

  it("stays revoked when its use is recorded at the same time", async () => {
    for (let round = 0; round < 10; round++) {
      const key = await newKey();
      await Promise.all([revoke(key.id), ...Array.from({ length: 5 }, () => callerWith(key))]);
      for (const row of await storedRows(key)) expect(row).toMatchObject({ st: "revoked" });
      expect(await callerWith(key)).toEqual(unauthorized);
      testEnv.advance(HOUR);
      expect(await callerWith(key)).toEqual(unauthorized);
    }
  });

  it("while its tenant is suspended or resumed at the same time stays revoked", async () => {
    for (let round = 0; round < 10; round++) {
      const key = await newKey();
      const status = round % 2 === 0 ? "suspended" : "active";
      await Promise.all([
        revoke(key.id),
        setTenantStatus(ports(), tenant, { status, actor: "cli" }, testEnv.now()),
        newKey(),
      ]);
      expect(await callerWith(key)).toEqual(unauthorized);
    }
    await expectExactCount();
  });
});

describe("the last use of a key", () => {
  const lastUse = async () => (await list()).map(({ lastUsedAt }) => lastUsedAt);

  it("is recorded at its first request, and again after an hour", async () => {
    const key = await newKey();
    expect(await lastUse()).toEqual([null]);
    const first = testEnv.now();
    await callerWith(key);
    expect(await lastUse()).toEqual([first]);
    testEnv.advance(HOUR - 1);
    await callerWith(key);
    expect(await lastUse()).toEqual([first]);
    testEnv.advance(1);
    await callerWith(key);
    expect(await lastUse()).toEqual([first + HOUR]);
  });

  /** A request with the key that reads its row, and goes on only after something else has happened. */
  function requestAround(key: CreatedKey, now: number, event: () => Promise<unknown>) {
    const open = ports();
    const getByHash: typeof open.apiKeys.getByHash = async (hash) => {
      const stored = await open.apiKeys.getByHash(hash);
      await event();
      return stored;
    };
    return authenticate({ ...open, apiKeys: { ...open.apiKeys, getByHash } }, `Bearer ${key.secret}`, now);
  }

  it("is recorded once by requests at once, whichever of them writes first", async () => {
    const [key, at] = [await newKey(), testEnv.now()];
    for (const delay of [-SECOND, 0, SECOND]) {
      const caller = await requestAround(key, at + delay, () => callerWith(key));
      expect(caller).toMatchObject({ keyId: key.id });
      for (const row of await storedRows(key)) expect(row).toMatchObject({ lu: at });
    }
    await Promise.all(Array.from({ length: 20 }, () => callerWith(key)));
    expect(await lastUse()).toEqual([at]);
  });

  it("of a refused key is not recorded", async () => {
    const [revoked, suspended] = [await newKey(), await newKey()];
    await revoke(revoked.id);
    await setTenantStatus(ports(), tenant, { status: "suspended", actor: "cli" }, testEnv.now());
    for (const key of [revoked, suspended]) await callerWith(key);
    expect(await lastUse()).toEqual([null, null]);
  });

  it("of a revoked key is not recorded by a request that was authenticated before", async () => {
    const key = await newKey();
    const caller = await requestAround(key, testEnv.now(), () => revoke(key.id));
    expect(caller).toMatchObject({ keyId: key.id });
    expect(await list()).toMatchObject([{ id: key.id, status: "revoked", lastUsedAt: null }]);
    for (const row of await storedRows(key)) expect(row).not.toHaveProperty("lu");
  });

  it.each(faultPoints)("that a fault (%s) at any call interrupts is recorded within an hour", async (faultPoint) => {
    for (let k = firstFault(faultPoint), reached = true; reached; k += FAULT_STEP) {
      tenant = await createNewTenant();
      const key = await newKey();
      const injection = injectFaultAt(testEnv.clients, faultPoint, k);
      const answer = await callerWith(key).catch(() => null);
      injection.remove();
      reached = injection.reached();
      if (faultPoint === "lost") expect(answer).toMatchObject({ keyId: key.id });
      if (faultPoint === "lost") expect(await lastUse()).toEqual([testEnv.now()]);
      testEnv.advance(HOUR);
      expect(await callerWith(key)).toMatchObject({ keyId: key.id });
      expect(await lastUse()).toEqual([testEnv.now()]);
    }
  });
});

describe("an operator key", () => {
  it("is listed with its tenants, and revoked with an audit row in each of them", async () => {
    const other = await createNewTenant();
    const key = await createOperatorKey(ports(), [tenant, other], settings, testEnv.now());
    await callerWith(key);
    const find = async () => (await listOperatorKeys(ports(), testEnv.now())).find(({ id }) => id === key.id);
    expect(await find()).toMatchObject({ tenants: [tenant, other], status: "active", lastUsedAt: testEnv.now() });
    const revokeIt = () => revokeOperatorKey(ports(), { keyId: key.id, actor: { actor: "cli" }, now: testEnv.now() });
    expect([await revokeIt(), await revokeIt()]).toEqual([null, null]);
    expect(await callerWith(key)).toEqual(unauthorized);
    expect(await find()).toMatchObject({ status: "revoked" });
    for (const slug of [tenant, other]) {
      expect(await audits("operator_key.revoke", slug)).toMatchObject([{ resource: `key:${key.id}`, actor: "cli" }]);
    }
    testEnv.advance(90 * DAY);
    expect(await find()).toBeUndefined();
    expect(await revokeIt()).toEqual({ refused: "key_not_found" });
  });

  it("does not count as a key of its tenants, and a tenant's key is no operator key", async () => {
    const bound = await newKey();
    await createOperatorKey(ports(), [tenant], settings, testEnv.now());
    await expectExactCount();
    const actor = { actor: "cli" };
    for (const keyId of [bound.id, "x", newUlid(0)]) {
      expect(await revokeOperatorKey(ports(), { keyId, actor, now: testEnv.now() })).toEqual({
        refused: "key_not_found",
      });
    }
    expect(await callerWith(bound)).toMatchObject({ keyId: bound.id });
  });
});

it("no row of the table and no log line contains a secret", async () => {
  const key = await newKey();
  await callerWith(key);
  await revoke(key.id);
  const { Items = [] } = await testEnv.table.client.send(new ScanCommand({ TableName: testEnv.table.name }));
  const everything = JSON.stringify([Items, testEnv.lines]);
  expect(everything).toContain(key.id);
  expect(everything).not.toContain(key.secret.slice(14));
  expect(everything).not.toContain(key.secret.slice(-20));
  const { Items: audit = [] } = await testEnv.table.client.send(
    new QueryCommand({
      TableName: testEnv.table.name,
      KeyConditionExpression: "PK = :a",
      ExpressionAttributeValues: { ":a": `A#${tenant}` },
    }),
  );
  expect(JSON.stringify(audit)).not.toContain(key.prefix);
});
