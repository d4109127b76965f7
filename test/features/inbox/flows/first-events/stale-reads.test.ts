import { afterEach, expect, it } from "vitest";
import { SECOND } from "#base/kernel/time.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedOnce } from "../../../../support/opened.ts";
import { openWorldTable, type WorldTable } from "../../../../support/world/world-table.ts";
import { NAMED, openFirstEventWorld } from "./first-event-fixture.ts";

let table: WorldTable;
const testEnv = openedOnce(() =>
  openTestEnv({
    startTable: (now) => {
      table = openWorldTable(now);
      return table;
    },
  }),
);
afterEach(() => table.setLag(() => 0));

it("an event has the name also where reads do not see yet that its message was named", async () => {
  const world = await openFirstEventWorld(testEnv);
  await world.write();
  await world.ingest();
  testEnv.advance(1.5 * SECOND);
  table.setLag(({ partition }) => (partition === world.id ? Number.POSITIVE_INFINITY : 0));
  await world.lookUp();
  await world.deliver();
  expect(world.people()).toEqual([NAMED]);
  expect(await world.replayed()).toEqual(world.posts.map(({ body }) => body));
  await world.settle();
  await world.expectNamedOnce();
});
