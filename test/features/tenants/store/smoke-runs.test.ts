import { afterAll, expect, it } from "vitest";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import { openTable } from "#base/table/client.ts";
import { SMOKE_LEASE, smokeRunStore } from "#features/tenants/store/smoke-runs.ts";
import { NOW } from "../../../support/stores/samples.ts";
import { startFlowTable } from "../../../support/world/flow-table.ts";

const started = await startFlowTable(() => NOW);
afterAll(() => started.close());
const runs = smokeRunStore(openTable(started.tableName, started.client));
const toTenant = (slug: string) => parseTenant(slug) as TenantId;
const [first, second] = [toTenant("smoke-1"), toTenant("smoke-2")];

it("a run in progress is not listed until its lease has ended", async () => {
  await runs.renew(first, NOW);
  await runs.renew(second, NOW);
  expect(await runs.listStopped(NOW + SMOKE_LEASE - 1)).toEqual([]);
  // Its next step.
  await runs.renew(second, NOW + 1);
  expect(await runs.listStopped(NOW + SMOKE_LEASE)).toEqual([first]);
  expect(await runs.listStopped(NOW + SMOKE_LEASE + 1)).toEqual([first, second]);
});

it("a run whose tenant is deleted is listed no more, and its removal may be repeated", async () => {
  await runs.remove(first);
  await runs.remove(first);
  expect(await runs.listStopped(NOW + 2 * SMOKE_LEASE)).toEqual([second]);
});
