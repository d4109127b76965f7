import { expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { DAY, HOUR, SECOND } from "#base/kernel/time.ts";
import { authenticate } from "#features/access/authenticate.ts";
import { type CreatedKey, createOperatorKey } from "#features/access/flows/keys.ts";
import { setTenantStatus } from "#features/tenants/flows/tenant-status.ts";
import { eachFault } from "../../../support/flows/fault-injection.ts";
import { siblingId } from "../../../support/stores/samples.ts";
import { settings, unauthorized, useKeyFixture } from "./support/key-fixture.ts";

const {
  audits,
  callerWith,
  createNewTenant,
  expectExactCount,
  list,
  newKey,
  openTenant,
  ports,
  revoke,
  storedRows,
  tenant,
  testEnv,
} = useKeyFixture();

it("a revoked key is refused from the next request on, and is still listed", async () => {
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

it("a revoked key leaves one audit row with its revoker, also when it is revoked again or ten times at once", async () => {
  const key = await newKey();
  expect(await Promise.all(Array.from({ length: 10 }, () => revoke(key.id)))).toEqual(Array(10).fill(null));
  testEnv.advance(DAY);
  expect(await revoke(key.id)).toBeNull();
  expect(await audits("key.revoke")).toMatchObject([
    { resource: `key:${key.id}`, actor: "key:k1", ip: "192.0.2.1", detail: { scope: "live" } },
  ]);
  await expectExactCount();
});

it("a revoked key is refused to a test key while it is live, and stays active", async () => {
  const [live, test] = [await newKey("live"), await newKey("test")];
  expect(await revoke(live.id, "test")).toEqual({ refused: "live_key_required" });
  expect(await callerWith(live)).toMatchObject({ keyId: live.id });
  expect(await revoke(test.id, "test")).toBeNull();
  expect(await callerWith(test)).toEqual(unauthorized);
});

it("a revoked key that is unknown, malformed, foreign or an operator's is not found, and nothing changes", async () => {
  const key = await newKey();
  const foreign = await newKey("live", await createNewTenant());
  const operator = await createOperatorKey(ports(), [tenant()], settings, testEnv.now());
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

it("a revoked key is listed for 90 days to the millisecond, and both of its rows expire then", async () => {
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

it("a revoked key stays revoked when its use is recorded at the same time", async () => {
  for (let round = 0; round < 10; round++) {
    const key = await newKey();
    await Promise.all([revoke(key.id), ...Array.from({ length: 5 }, () => callerWith(key))]);
    for (const row of await storedRows(key)) expect(row).toMatchObject({ st: "revoked" });
    expect(await callerWith(key)).toEqual(unauthorized);
    testEnv.advance(HOUR);
    expect(await callerWith(key)).toEqual(unauthorized);
  }
});

it("a revoked key while its tenant is suspended or resumed at the same time stays revoked", async () => {
  for (let round = 0; round < 10; round++) {
    const key = await newKey();
    const status = round % 2 === 0 ? "suspended" : "active";
    await Promise.all([
      revoke(key.id),
      setTenantStatus(ports(), tenant(), { status, author: { actor: "cli" } }, testEnv.now()),
      newKey(),
    ]);
    expect(await callerWith(key)).toEqual(unauthorized);
  }
  await expectExactCount();
});

const lastUse = async () => (await list()).map(({ lastUsedAt }) => lastUsedAt);

it("the last use of a key is recorded at its first request, and again after an hour", async () => {
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

it("the last use of a key is recorded once by requests at once, whichever of them writes first", async () => {
  const [key, at] = [await newKey(), testEnv.now()];
  for (const delay of [-SECOND, 0, SECOND]) {
    const caller = await requestAround(key, at + delay, () => callerWith(key));
    expect(caller).toMatchObject({ keyId: key.id });
    for (const row of await storedRows(key)) expect(row).toMatchObject({ lu: at });
  }
  await Promise.all(Array.from({ length: 20 }, () => callerWith(key)));
  expect(await lastUse()).toEqual([at]);
});

it("the last use of a key of a refused key is not recorded", async () => {
  const [revoked, suspended] = [await newKey(), await newKey()];
  await revoke(revoked.id);
  await setTenantStatus(ports(), tenant(), { status: "suspended", author: { actor: "cli" } }, testEnv.now());
  for (const key of [revoked, suspended]) await callerWith(key);
  expect(await lastUse()).toEqual([null, null]);
});

it("the last use of a key of a revoked key is not recorded by a request that was authenticated before", async () => {
  const key = await newKey();
  const caller = await requestAround(key, testEnv.now(), () => revoke(key.id));
  expect(caller).toMatchObject({ keyId: key.id });
  expect(await list()).toMatchObject([{ id: key.id, status: "revoked", lastUsedAt: null }]);
  for (const row of await storedRows(key)) expect(row).not.toHaveProperty("lu");
});

eachFault(
  "the last use of a key that a fault (%s) at any call interrupts is recorded within an hour",
  testEnv,
  async (interrupt, { faultPoint }) => {
    await openTenant();
    const key = await newKey();
    const answer = await interrupt(() => callerWith(key));
    if (faultPoint === "lost") expect(answer).toMatchObject({ keyId: key.id });
    if (faultPoint === "lost") expect(await lastUse()).toEqual([testEnv.now()]);
    testEnv.advance(HOUR);
    expect(await callerWith(key)).toMatchObject({ keyId: key.id });
    expect(await lastUse()).toEqual([testEnv.now()]);
  },
);
