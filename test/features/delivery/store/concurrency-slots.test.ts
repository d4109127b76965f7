import { expect, it } from "vitest";
import { MINUTE } from "#base/kernel/time.ts";
import { openTable } from "#base/table/client.ts";
import { concurrencySlotStore } from "#features/delivery/store/concurrency-slots.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { injectFaults } from "../../../support/faults.ts";
import { openedOnce } from "../../../support/opened.ts";
import { NOW, newTenant } from "../../../support/stores/samples.ts";

const table = openedOnce(startTestTable);
const inFlight = openedOnce(() => concurrencySlotStore(openTable(table.tableName, table.client), { max: 5 }));

/** Acquires slots one after the other until none is free. */
async function fillSlots(tenant = newTenant(), now = NOW) {
  const places = [];
  for (let slot = await inFlight.acquire(tenant, "w", now); slot; slot = await inFlight.acquire(tenant, "w", now)) {
    places.push(slot);
  }
  return { tenant, places };
}

it("the store gives each slot once", async () => {
  const { tenant, places } = await fillSlots();
  expect(places.map(({ name }) => name).sort()).toEqual(["p0", "p1", "p2", "p3", "p4"]);
  expect(await inFlight.acquire(tenant, "w", NOW)).toBeNull();
  expect(await inFlight.acquire(tenant, "another", NOW)).not.toBeNull();
  expect(await inFlight.acquire(newTenant(), "w", NOW)).not.toBeNull();
});

it("the store gives no slot twice to twenty concurrent workers", async () => {
  const tenant = newTenant();
  const all = await Promise.all(Array.from({ length: 20 }, () => inFlight.acquire(tenant, "w", NOW)));
  const names = all.flatMap((place) => place?.name ?? []);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThan(0);
});

it("the store gives a released slot at once, and the slot of a dead worker after its lease", async () => {
  const { tenant, places } = await fillSlots();
  const [releasedSlot, died] = places;
  if (!releasedSlot || !died) throw new Error("There are places.");
  await inFlight.release(tenant, "w", releasedSlot);
  expect(await inFlight.acquire(tenant, "w", NOW)).toEqual(releasedSlot);
  expect(await inFlight.acquire(tenant, "w", NOW + MINUTE - 1)).toBeNull();
  const later = await fillSlots(tenant, NOW + MINUTE);
  expect(later.places).toHaveLength(5);
  // The worker that held it before is slow, and releases a slot that another has acquired.
  await inFlight.release(tenant, "w", died);
  expect(await inFlight.acquire(tenant, "w", NOW + MINUTE)).toBeNull();
});

it("the store may give one slot too few when the table's response is lost, and never one too many", async () => {
  const tenant = newTenant();
  const end = injectFaults(table.client, ({ index }) => (index === 0 ? "lost" : "pass"));
  const first = await inFlight.acquire(tenant, "w", NOW);
  end();
  expect(first).not.toBeNull();
  const { places } = await fillSlots(tenant);
  expect([3, 4]).toContain(places.length);
  expect(places.map(({ name }) => name)).not.toContain(first?.name);
});
