import { afterAll, beforeAll, it } from "vitest";
import { runInterleavings } from "../support/flows/erasure-race.ts";
import { openTestEnv, type TestEnv } from "../support/flows/test-env.ts";

let testEnv: TestEnv;
beforeAll(async () => {
  testEnv = await openTestEnv();
});
afterAll(() => testEnv.close());

it("an erasure removes everything older than itself and nothing newer, in 600 more interleavings", async () => {
  await runInterleavings(testEnv, { from: 1_001, count: 600 });
}, 600_000);
