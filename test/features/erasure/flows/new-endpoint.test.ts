import { expect, it } from "vitest";
import { putEndpointRow, runErasure, seedDataSubject } from "../../../support/flows/data-subject.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { newTenant } from "../../../support/stores/samples.ts";
import { openWorldTable } from "../../../support/world/world-table.ts";

it("an erasure counts the deliveries of an endpoint that was created a moment ago", async () => {
  const tenant = newTenant();
  const testEnv = await openTestEnv({
    startTable: (now) => {
      const world = openWorldTable(now);
      world.setLag(({ partition }) => (partition === `T#${tenant}` ? Number.POSITIVE_INFINITY : 0));
      return world;
    },
  });
  const subject = await seedDataSubject(testEnv, tenant, [await putEndpointRow(testEnv, tenant, "new")]);
  testEnv.advance(1);
  expect(await runErasure(testEnv, await testEnv.newQueues(), subject)).toEqual({
    done: true,
    removed: subject.counts,
  });
  await testEnv.close();
});
