import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runHistory } from "./run-history.ts";
import type { History } from "./steps/step.ts";

// Histories that once showed a fault, or would show one that is easily made, by the promise that it broke.

interface FoundHistory {
  readonly promise: string;
  readonly note?: string;
  readonly history: History;
}

const file = new URL("found-histories.json", import.meta.url);
const foundHistories: readonly FoundHistory[] = JSON.parse(readFileSync(file, "utf8"));

test.for(foundHistories.map(({ promise, history }) => [promise, history] as const))(
  "a history keeps its promise: %s",
  async ([, history]) => {
    expect(await runHistory(history)).toEqual([]);
  },
);
