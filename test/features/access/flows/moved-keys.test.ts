import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, it } from "vitest";
import type { KeyRing } from "#base/kernel/key-ring.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { HOUR, SECOND } from "#base/kernel/time.ts";
import { apiKeyHash, authenticate } from "#features/access/authenticate.ts";
import { listKeys, revokeKey } from "#features/access/flows/key-lists.ts";
import { type CreatedKey, createOperatorKey } from "#features/access/flows/keys.ts";
import { setTenantStatus } from "#features/tenants/flows/tenant-status.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { eachFault } from "../../../support/flows/fault-injection.ts";
import { interleave } from "../../../support/flows/races/deterministic-scheduler.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { attachMeter } from "../../../support/meter.ts";
import { openedOnce } from "../../../support/opened.ts";
import { repetitions } from "../../../support/sampling.ts";
import { keyVersion } from "../../../support/world/key-rings.ts";
import { callerOf, createKey } from "./support/api-keys.ts";
import { unauthorized, useKeyFixture } from "./support/key-fixture.ts";

// A key was created under a pepper that the rotation made the previous one.

const older = keyVersion(Buffer.alloc(32, 1));
const newer = { ...keyVersion(Buffer.alloc(32, 2)), sealsFrom: 1 };
const before: KeyRing = { current: older, previous: null, next: newer };
const after: KeyRing = { current: newer, previous: older, next: null };
const SEEDS = Array.from({ length: repetitions({ whole: 12, sample: 3 }) }, (_, seed) => seed);

const fixture = useKeyFixture(() => openTestEnv({ startTable: startTestTable }));
const { audits, createNewTenant, testEnv } = fixture;
const meter = openedOnce(() => attachMeter(testEnv.client, testEnv.table.name));
let tenant: TenantId;
beforeEach(() => {
  tenant = fixture.tenant();
});

const ports = (ring: KeyRing = after) => ({ ...fixture.ports(), peppers: async () => ring });
const settings = { scope: "live", label: "a key", author: { actor: "cli" } } as const;
const olderKey = (of = tenant) => createKey(ports(before), of, settings, testEnv.now());
const callerWith = (key: Pick<CreatedKey, "secret">, ring: KeyRing = after) =>
  callerOf(ports(ring), key, testEnv.now());
const revoke = ({ id }: CreatedKey) =>
  revokeKey(ports(), { tenant, keyId: id, author: { actor: "cli" }, now: testEnv.now() });
const setStatus = (status: "active" | "suspended") =>
  setTenantStatus(ports(), tenant, { status, author: { actor: "cli" } }, testEnv.now());

/** All rows of a key: its lookup rows by the pepper of their hash, and its row in the list. */
async function rowsOf({ id, secret }: CreatedKey) {
  const { Items = [] } = await testEnv.table.client.send(
    new ScanCommand({
      TableName: testEnv.table.name,
      FilterExpression: "id = :id",
      ExpressionAttributeValues: { ":id": id },
      ConsistentRead: true,
    }),
  );
  const names = new Map([older, newer].map(({ kid, key }) => [`K#${apiKeyHash(key, secret)}`, kid]));
  const lookups = Items.filter(({ PK }) => String(PK).startsWith("K#"));
  return {
    lookups: lookups.map((row) => ({ kid: names.get(String(row.PK)), row })),
    listed: Items.find(({ SK }) => String(SK) === `KEY#${id}`),
    count: Items.length,
  };
}

/** The key has one lookup row, and its list names it. */
async function expectOneLookup(key: CreatedKey, kid?: string): Promise<void> {
  const { lookups, listed, count } = await rowsOf(key);
  expect(count).toBe(2);
  expect(lookups).toHaveLength(1);
  expect(listed).toMatchObject({ kh: String(lookups[0]?.row.PK).slice(2), pk: lookups[0]?.kid });
  if (kid) expect(lookups[0]?.kid).toBe(kid);
}

it("a key from before a rotation is moved to the new pepper within its first request, and then costs one read again", async () => {
  const key = await olderKey();
  await expectOneLookup(key, older.kid);
  const first = await meter.measure("moved", async () => {
    expect(await callerWith(key)).toMatchObject({ kind: "tenant_key", keyId: key.id, tenant });
  });
  // Under each pepper, then the whole row that moves.
  const byOperation = { GetItem: { requests: 3 }, TransactWriteItems: { requests: 1 } };
  // The read of the absent row is billed, too, and the last use 2.
  expect(first).toMatchObject({ wcu: 6 + 2, byOperation });
  await expectOneLookup(key, newer.kid);
  const second = await meter.measure("ordinary", async () => {
    expect(await callerWith(key)).toMatchObject({ keyId: key.id });
  });
  expect(second).toMatchObject({ requests: 1, rcu: 1, byOperation: { GetItem: { requests: 1 } } });
});

it("a key from before a rotation stays under its pepper until the new one seals, and a new key is then found by both", async () => {
  const key = await olderKey();
  expect(await callerWith(key, before)).toMatchObject({ keyId: key.id });
  await expectOneLookup(key, older.kid);
  const newKey = await createKey(ports(after), tenant, settings, testEnv.now());
  // A process whose clock is behind does not move it back.
  expect(await callerWith(newKey, before)).toMatchObject({ keyId: newKey.id });
  await expectOneLookup(newKey, newer.kid);
});

it("a key from before a rotation keeps its last use, its label and its tenants' suspension", async () => {
  const key = await olderKey();
  const usedAt = testEnv.now();
  await callerWith(key, before);
  await setStatus("suspended");
  testEnv.advance(HOUR / 2);
  expect(await callerWith(key)).toEqual({ refused: "tenant_suspended" });
  await expectOneLookup(key, newer.kid);
  expect(await listKeys(ports(), tenant, testEnv.now())).toMatchObject([{ lastUsedAt: usedAt, label: "a key" }]);
  await setStatus("active");
  expect(await callerWith(key)).toMatchObject({ keyId: key.id });
  expect((await rowsOf(key)).lookups[0]?.row).toMatchObject({ lu: usedAt, lb: "a key", sc: "live", st: "active" });
  testEnv.advance(HOUR / 2);
  await callerWith(key);
  expect((await rowsOf(key)).listed).toMatchObject({ lu: usedAt + HOUR });
});

it("a key from before a rotation of an operator is moved in the operators' list", async () => {
  const tenants = [tenant, await createNewTenant()];
  const key = await createOperatorKey(ports(before), tenants, settings, testEnv.now());
  await setStatus("suspended");
  const caller = { kind: "operator_key", keyId: key.id, tenants, suspendedTenants: [tenant], scope: "live" };
  for (const _ of [1, 2]) expect(await callerWith(key)).toEqual(caller);
  await expectOneLookup(key, newer.kid);
});

it("a key from before a rotation that was revoked is refused and not moved", async () => {
  const key = await olderKey();
  await revoke(key);
  expect(await callerWith(key)).toEqual(unauthorized);
  await expectOneLookup(key, older.kid);
});

it("a key from before a rotation is refused once its pepper is gone", async () => {
  const key = await olderKey();
  const third = keyVersion(Buffer.alloc(32, 3));
  expect(await callerWith(key, { current: third, previous: newer, next: null })).toEqual(unauthorized);
  expect(await callerWith(key)).toMatchObject({ keyId: key.id });
});

it("a key from before a rotation is found when another request moves it between the two reads", async () => {
  const key = await olderKey();
  const open = ports();
  let reads = 0;
  const getByHash: typeof open.apiKeys.getByHash = async (hash) => {
    const stored = await open.apiKeys.getByHash(hash);
    if (++reads === 1) await callerWith(key);
    return stored;
  };
  const racing = { ...open, apiKeys: { ...open.apiKeys, getByHash } };
  expect(await authenticate(racing, `Bearer ${key.secret}`, testEnv.now())).toMatchObject({ keyId: key.id });
});

it("a key from before a rotation is accepted in twenty requests at once, and moved once", async () => {
  const key = await olderKey();
  const callers = await Promise.all(Array.from({ length: 20 }, () => callerWith(key)));
  for (const caller of callers) expect(caller).toMatchObject({ keyId: key.id });
  await expectOneLookup(key, newer.kid);
});

it.each(SEEDS)(
  "a key from before a rotation and is revoked at the same time stays revoked, in every order of the calls (%i)",
  async (seed) => {
    const key = await olderKey();
    const results = await interleave(testEnv.client, seed, [
      () => callerWith(key),
      () => revoke(key),
      () => callerWith(key),
    ]);
    expect(results.map(({ status }) => status)).toEqual(Array(3).fill("fulfilled"));
    await expectOneLookup(key);
    const { lookups, listed } = await rowsOf(key);
    for (const row of [lookups[0]?.row, listed]) expect(row).toMatchObject({ st: "revoked" });
    expect(await callerWith(key)).toEqual(unauthorized);
    expect(await audits("key.revoke", tenant)).toHaveLength(1);
  },
);

it.each(SEEDS)(
  "a key from before a rotation and is suspended at the same time agrees with its tenant (%i)",
  async (seed) => {
    const [key, other] = [await olderKey(), await olderKey()];
    const results = await interleave(testEnv.client, seed, [
      () => callerWith(key),
      () => setStatus("suspended"),
      () => callerWith(other),
    ]);
    expect(results.map(({ status }) => status)).toEqual(Array(3).fill("fulfilled"));
    for (const each of [key, other]) {
      expect(await callerWith(each)).toEqual({ refused: "tenant_suspended" });
      await expectOneLookup(each, newer.kid);
    }
  },
);

eachFault(
  "a key from before a rotation is moved whole or not at all, despite a fault (%s) at any call",
  testEnv,
  async (interrupt, { faultPoint }) => {
    const key = await olderKey();
    const answer = await interrupt(() => callerWith(key));
    if (faultPoint === "lost") expect(answer).toMatchObject({ keyId: key.id });
    await expectOneLookup(key);
    expect(await callerWith(key)).toMatchObject({ keyId: key.id });
    await expectOneLookup(key, newer.kid);
  },
);

eachFault(
  "a key from before a rotation and is revoked despite a fault (%s) at any call is refused",
  testEnv,
  async (interrupt) => {
    tenant = await createNewTenant();
    const key = await olderKey();
    await interrupt(async () => {
      await callerWith(key).catch(() => null);
      await revoke(key).catch(() => null);
    });
    expect(await revoke(key)).toBeNull();
    expect(await callerWith(key)).toEqual(unauthorized);
    expect(await audits("key.revoke", tenant)).toHaveLength(1);
    await expectOneLookup(key);
  },
);

it("an unknown key is refused with three reads after a rotation, and with one before the first", async () => {
  const { secret } = await createKey(
    ports({ current: keyVersion(Buffer.alloc(32, 9)), previous: null, next: null }),
    tenant,
    settings,
    testEnv.now(),
  );
  const readsWith = async (ring: KeyRing) => {
    const cost = await meter.measure("unknown", async () => {
      expect(await callerWith({ secret }, ring)).toEqual(unauthorized);
    });
    return cost.requests;
  };
  expect(await readsWith({ current: newer, previous: null, next: null })).toBe(1);
  expect(await readsWith(after)).toBe(3);
  testEnv.advance(SECOND);
});
