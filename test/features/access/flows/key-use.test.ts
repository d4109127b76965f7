import { expect, it } from "vitest";
import { HOUR, SECOND } from "#base/kernel/time.ts";
import { authenticate } from "#features/access/authenticate.ts";
import type { CreatedKey } from "#features/access/flows/keys.ts";
import { setTenantStatus } from "#features/tenants/flows/tenant-status.ts";
import { eachFault } from "../../../support/flows/fault-injection.ts";
import { useKeyFixture } from "./support/key-fixture.ts";

const { callerWith, list, newKey, openTenant, ports, revoke, storedRows, tenant, testEnv } = useKeyFixture();

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
  await setTenantStatus(ports(), tenant(), { status: "suspended", actor: "cli" }, testEnv.now());
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
