import { afterAll, beforeEach, expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { IDEMPOTENCY_TTL } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE } from "#base/kernel/time.ts";
import { openTable } from "#base/table/client.ts";
import { idempotencyKeyStore, type KeyClaim } from "#features/sending/store/idempotency-keys.ts";
import { NOW, newTenant } from "../../../support/stores/samples.ts";
import { openWorldTable } from "../../../support/world/world-table.ts";

const world = openWorldTable(() => NOW);
const keys = idempotencyKeyStore(openTable(world.tableName, world.client));
afterAll(() => world.close());

let tenant: TenantId;
let first: KeyClaim;
let second: KeyClaim;
beforeEach(() => {
  tenant = newTenant();
  const newClaim = () => ({ keyHash: "key", bodyHash: "body", workId: newUlid(NOW) });
  [first, second] = [newClaim(), newClaim()];
});

/** The second claim takes the key over from the first one, whose process is frozen. */
async function takeOver(): Promise<void> {
  await keys.claimKey(tenant, first, NOW);
  const stale = await keys.claimKey(tenant, second, NOW + MINUTE);
  expect(stale).toMatchObject({ workId: first.workId, result: null });
  expect(await keys.claimKey(tenant, second, NOW + MINUTE, stale)).toBeNull();
}

const readRecord = () => keys.claimKey(tenant, { ...first, workId: newUlid(NOW) }, NOW + 2 * MINUTE);

it("a process whose key was taken over stores no result", async () => {
  await takeOver();
  await keys.saveResult(tenant, first, '"first"');
  expect(await readRecord()).toMatchObject({ workId: second.workId, result: null });
  await keys.saveResult(tenant, second, '"second"');
  expect(await readRecord()).toMatchObject({ workId: second.workId, result: '"second"' });
});

it("a process whose key was taken over does not release it", async () => {
  await takeOver();
  await keys.release(tenant, first);
  expect(await readRecord()).toMatchObject({ workId: second.workId });
});

it("a key is free again a day after its claim, to the millisecond", async () => {
  await keys.claimKey(tenant, first, NOW);
  expect(await keys.claimKey(tenant, second, NOW + IDEMPOTENCY_TTL - 1)).toMatchObject({ workId: first.workId });
  expect(await keys.claimKey(tenant, second, NOW + IDEMPOTENCY_TTL)).toBeNull();
});
