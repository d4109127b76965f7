import { afterAll, beforeEach, expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { ATTEMPT_LEASE } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { openTable } from "#base/table/client.ts";
import { deliveryStore } from "#features/delivery/store/deliveries.ts";
import type { DeliveryRow } from "#features/delivery/store/delivery-items.ts";
import { NOW, newTenant } from "../../../support/stores/samples.ts";
import { openWorldTable } from "../../../support/world/world-table.ts";

const world = openWorldTable(() => NOW);
const deliveries = deliveryStore(openTable(world.tableName, world.client));
afterAll(() => world.close());

let tenant: TenantId;
let row: DeliveryRow;
/** A delivery whose first attempt failed, and whose second one is due. */
beforeEach(async () => {
  tenant = newTenant();
  const key = { endpointId: newUlid(NOW), eventUlid: newUlid(NOW) };
  const delivery = { ...key, eventType: "message.received", source: null, test: false } as const;
  await deliveries.recordFirst(tenant, delivery, {
    verdict: { status: "retrying", nextRetryAt: NOW },
    outcome: { kind: "answered", status: 503, retryAfter: null, durationMs: 1 },
    settledAt: NOW,
  });
  row = await readRow(key);
});

async function readRow({ endpointId, eventUlid }: Pick<DeliveryRow, "endpointId" | "eventUlid">): Promise<DeliveryRow> {
  const stored = await deliveries.get(tenant, endpointId, eventUlid);
  if (!stored) throw new Error("The row is gone.");
  return stored;
}

it("the repeated message of an earlier or a later attempt claims nothing", async () => {
  for (const attempt of [1, 3]) {
    expect(await deliveries.claimDelivery(tenant, { ...row, attempt }, NOW)).toMatchObject({ outcome: "moved_on" });
  }
  expect(await readRow(row)).toEqual(row);
});

it("a delivery whose event is gone does not fail while an attempt is in progress", async () => {
  await deliveries.claimDelivery(tenant, { ...row, attempt: 2 }, NOW);
  const claimed = await readRow(row);
  expect(claimed).toMatchObject({ status: "attempting", leaseUntil: NOW + ATTEMPT_LEASE });
  expect(await deliveries.failWaiting(tenant, row, NOW)).toBe(false);
  expect(await readRow(row)).toEqual(claimed);
});
