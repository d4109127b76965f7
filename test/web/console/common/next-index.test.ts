import { expect, it } from "vitest";
import { modifierOf } from "../../../../web/console/common/modifier.ts";
import { nextIndex } from "../../../../web/console/ui/menu/next-index.ts";

it.each([
  ["ArrowDown", 0, 1, 1],
  ["ArrowDown", 4, 1, 0],
  ["ArrowUp", 0, 1, 4],
  ["ArrowDown", -1, 1, 0],
  ["ArrowUp", -1, 1, 4],
  ["Home", 3, 1, 0],
  ["End", 0, 1, 4],
  ["ArrowRight", 0, 1, null],
  ["a", 0, 1, null],
  ["ArrowRight", 0, 2, 1],
  ["ArrowLeft", 0, 2, null],
  ["ArrowDown", 1, 2, 3],
  ["ArrowDown", 3, 2, null],
  ["ArrowUp", 1, 2, null],
])("%s moves from %i of five in rows of %i to %s", (key, index, columns, next) => {
  expect(nextIndex(key, { index, columns, count: 5 })).toBe(next);
});

it("a key moves nowhere in an empty list", () => {
  expect(nextIndex("ArrowDown", { index: -1, columns: 1, count: 0 })).toBeNull();
});

it.each([
  ["MacIntel", "⌘"],
  ["iPhone", "⌘"],
  ["Win32", "Ctrl"],
  ["Linux x86_64", "Ctrl"],
  ["", "Ctrl"],
])("the modifier of %o is %s", (platform, modifier) => {
  expect(modifierOf(platform)).toBe(modifier);
});
