import { afterAll, beforeAll, expect, it } from "vitest";
import { MINUTE } from "../../../../shared/kernel/time.ts";
import { openTable } from "../../../../shared/stores/client.ts";
import { type InFlight, inFlightStore } from "../../../../shared/stores/delivery/concurrency-slots.ts";
import { startTestTable, type TestTable } from "../../../support/dynamo.ts";
import { injectFaults } from "../../../support/faults.ts";
import { NOW, newTenant } from "../support/samples.ts";

let table: TestTable;
let inFlight: InFlight;
beforeAll(async () => {
  table = await startTestTable();
  inFlight = inFlightStore(openTable(table.tableName, table.client), { max: 5 });
});
afterAll(() => table.close());

/** As many places as there are to be had, one after the other. */
async function fill(tenant = newTenant(), now = NOW) {
  const places = [];
  for (let place = await inFlight.enter(tenant, "w", now); place; place = await inFlight.enter(tenant, "w", now)) {
    places.push(place);
  }
  return { tenant, places };
}

it("gives each place once, to whoever comes first", async () => {
  const { tenant, places } = await fill();
  expect(places.map(({ name }) => name).sort()).toEqual(["p0", "p1", "p2", "p3", "p4"]);
  expect(await inFlight.enter(tenant, "w", NOW)).toBeNull();
  expect(await inFlight.enter(tenant, "another", NOW)).not.toBeNull();
  expect(await inFlight.enter(newTenant(), "w", NOW)).not.toBeNull();
});

it("gives no place twice to twenty that come at once", async () => {
  const tenant = newTenant();
  const all = await Promise.all(Array.from({ length: 20 }, () => inFlight.enter(tenant, "w", NOW)));
  const names = all.flatMap((place) => place?.name ?? []);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThan(0);
});

it("gives a place that was left at once, and one whose worker died after its lease", async () => {
  const { tenant, places } = await fill();
  const [left, died] = places;
  if (!left || !died) throw new Error("There are places.");
  await inFlight.leave(tenant, "w", left);
  expect(await inFlight.enter(tenant, "w", NOW)).toEqual(left);
  expect(await inFlight.enter(tenant, "w", NOW + MINUTE - 1)).toBeNull();
  const later = await fill(tenant, NOW + MINUTE);
  expect(later.places).toHaveLength(5);
  // Who held it before is slow, and leaves a place that is another's by now.
  await inFlight.leave(tenant, "w", died);
  expect(await inFlight.enter(tenant, "w", NOW + MINUTE)).toBeNull();
});

it("may give one place too few when the table's answer is lost, and never one too many", async () => {
  const tenant = newTenant();
  const end = injectFaults(table.client, ({ index }) => (index === 0 ? "lost" : "pass"));
  const first = await inFlight.enter(tenant, "w", NOW);
  end();
  expect(first).not.toBeNull();
  const { places } = await fill(tenant);
  expect([3, 4]).toContain(places.length);
  expect(places.map(({ name }) => name)).not.toContain(first?.name);
});
