import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { allDone, forEachConcurrent } from "#base/kernel/parallel.ts";

const numbers = Array.from({ length: 20 }, (_, i) => i);

it("concurrent work runs once per item and never exceeds the concurrency", async () => {
  const done: number[] = [];
  let [atOnce, most] = [0, 0];
  await forEachConcurrent(numbers, 3, async (number) => {
    most = Math.max(most, ++atOnce);
    await nextTurn();
    atOnce--;
    done.push(number);
  });
  expect(done.sort((a, b) => a - b)).toEqual(numbers);
  expect(most).toBe(3);
});

it("concurrent work starts nothing new after a failure, and fails after the running work has ended", async () => {
  const [started, ended]: [number[], number[]] = [[], []];
  const work = forEachConcurrent(numbers, 3, async (number) => {
    started.push(number);
    await nextTurn();
    if (number === 1) throw new Error("spoilt");
    await nextTurn();
    ended.push(number);
  });
  await expect(work).rejects.toThrow("spoilt");
  expect(started).toEqual([0, 1, 2]);
  expect(ended).toEqual([0, 2]);
});

it("concurrent work on no items completes at once", async () => {
  await forEachConcurrent([], 3, async () => {
    throw new Error("There was nothing to do.");
  });
});

it("all of several works give their results in order", async () => {
  expect(await allDone([1, Promise.resolve("two")])).toEqual([1, "two"]);
});

it("all of several works have ended when one of them fails", async () => {
  let ended = false;
  const slow = nextTurn().then(() => {
    ended = true;
  });
  await expect(allDone([Promise.reject(new Error("spoilt")), slow])).rejects.toThrow("spoilt");
  expect(ended).toBe(true);
});
