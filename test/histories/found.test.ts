import { expect, test } from "vitest";
import { runHistory } from "./run-history.ts";
import { foundHistories } from "./seeds.ts";

// Histories that once showed a fault, or would show one that is easily made, by the promise that it broke.

test.for(foundHistories.map(({ promise, history }) => [promise, history] as const))("%s", async ([, history]) => {
  expect(await runHistory(history)).toEqual([]);
});
