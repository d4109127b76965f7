import { expect, it, vi } from "vitest";
import { WallClock } from "../../../../web/console/data/wall-clock.ts";

const MINUTE = 60_000;

it("the clock of the console is the server's, not that of this machine", () => {
  let machine = 1_000 * MINUTE;
  const clock = new WallClock(() => machine);
  clock.set(1_010 * MINUTE);
  machine += MINUTE;
  expect(clock.now()).toBe(1_011 * MINUTE);
  clock.set(Number.NaN);
  expect(clock.now()).toBe(1_011 * MINUTE);
});

it("what shows times learns of a correction by a second, and of no smaller one", () => {
  const clock = new WallClock(() => 0);
  const shown = vi.fn();
  const end = clock.onCorrection(shown);
  clock.set(400);
  expect(shown).not.toHaveBeenCalled();
  clock.set(5_000);
  expect(shown).toHaveBeenCalledTimes(1);
  clock.set(5_999);
  expect(shown).toHaveBeenCalledTimes(1);
  end();
  clock.set(MINUTE);
  expect(shown).toHaveBeenCalledTimes(1);
});
