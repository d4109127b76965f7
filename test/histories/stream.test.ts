import { expect, test } from "vitest";
import { runHistory } from "./run-history.ts";
import type { History } from "./steps/step.ts";

// The shortest stories in which the ledger notices that the realtime stream loses, leaks or outlives something. Each was
// found by a seed, with a fault in the code.

const run = (seed: number, steps: History["steps"]) => runHistory({ seed, steps });

test("a client that fetches at its first frame sees an event of that moment, although half of the copies are behind", async () => {
  const violations = await run(66_948_647, [
    [{ do: "stale", source: "base", writes: 30, isMixed: true }, null],
    [{ do: "watch", person: 2 }, null],
    [{ do: "write", person: 0 }, null],
  ]);
  expect(violations).toEqual([]);
});

test("what a second client had no first frame for follows after it, although its fetch is behind", async () => {
  const violations = await run(1_502_944_448, [
    [{ do: "watch", person: 1 }, null],
    [{ do: "stale", source: "GS1", writes: 21, isMixed: false }, null],
    [{ do: "watch", person: 0, by: "owner" }, null],
    [{ do: "wait", millis: 1_800 }, null],
    [{ do: "write", person: 0 }, null],
    [{ do: "wait", millis: 350 }, null],
  ]);
  expect(violations).toEqual([]);
});

test("nothing comes before the first frame", async () => {
  const violations = await run(2_079_928_142, [
    [{ do: "watch", person: 1, by: "agent" }, null],
    [{ do: "write", person: 0 }, null],
  ]);
  expect(violations).toEqual([]);
});

test("an open connection gets every event", async () => {
  const violations = await run(2_079_928_142, [
    [{ do: "watch", person: 1, by: "agent" }, null],
    [{ do: "wait", millis: 5_000 }, null],
    [{ do: "write", person: 1 }, null],
  ]);
  expect(violations).toEqual([]);
});

test("a connection whose key is revoked is closed within a minute", async () => {
  const violations = await run(1, [
    [{ do: "watch", person: 0 }, null],
    [{ do: "wait", millis: 5_000 }, null],
    [{ do: "revokeKey", person: 0 }, null],
    [{ do: "wait", millis: 90_000 }, null],
  ]);
  expect(violations).toEqual([]);
});
