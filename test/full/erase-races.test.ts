import { it } from "vitest";
import { runInterleavings } from "../support/flows/races/erasure-race.ts";
import { openTestEnv } from "../support/flows/test-env.ts";
import { openedOnce } from "../support/opened.ts";

const testEnv = openedOnce(openTestEnv);

it("an erasure removes everything older than itself and nothing newer, in 600 more interleavings", async () => {
  await runInterleavings(testEnv, { from: 1_001, count: 600 });
}, 1_500_000);
