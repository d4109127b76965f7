import { expect, test } from "vitest";
import { runHistory } from "./run-history.ts";
import { historyKinds, seedHistory } from "./seed-history.ts";
import type { History } from "./steps/step.ts";

// A seed that failed can be run again: its ids, waits, deaths and troubles are the same each time.

/** All that a history shows: each change of the table, each post and each call, with its time. */
async function record(history: History): Promise<string[]> {
  let lines: string[] = [];
  await runHistory(history, ({ changes, posts, calls, accountCalls }) => {
    lines = [...changes, ...posts, ...calls, ...accountCalls].map((each) => JSON.stringify(each));
  });
  return lines;
}

test.for(historyKinds)("A seed gives the same history of the %s each time.", { timeout: 30_000 }, async (kind) => {
  for (const seed of [3, 4]) {
    const history = seedHistory(seed, kind);
    const [first, second] = [await record(history), await record(seedHistory(seed, kind))];
    expect(first.length).toBeGreaterThan(20);
    expect(second).toEqual(first);
  }
});
