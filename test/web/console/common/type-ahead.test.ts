import { expect, it } from "vitest";
import { TypeAhead } from "../../../../web/console/ui/menu/type-ahead.ts";

const labels = ["Change name", "Theme: Light", "Sound: off", "Single letters: on", "Sign out"];

/** Types characters, each some milliseconds after the one before. @returns the index after the last one */
function type(text: string, { from = -1, pauses = 100 } = {}): number {
  const typeAhead = new TypeAhead();
  let index = from;
  let now = 5_000;
  for (const key of text) {
    now += pauses;
    index = typeAhead.next(key, { labels, index, now }) ?? index;
  }
  return index;
}

it.each([
  ["t", -1, 1],
  ["T", 4, 1],
  ["s", -1, 2],
  ["s", 2, 3],
  ["ss", -1, 3],
  ["ssss", -1, 2],
  ["si", -1, 3],
  ["sig", 0, 4],
  ["sign o", 3, 4],
  ["x", 2, 2],
  ["sx", 0, 2],
])("letters typed as %o from item %i on find item %i", (text, from, index) => {
  expect(type(text, { from })).toBe(index);
});

it("a letter after a pause begins again", () => {
  expect(type("st", { pauses: 800 })).toBe(1);
  expect(type("st", { pauses: 600 })).toBe(2);
});

it("a space is typed only while letters are, and a list without items has none", () => {
  const typeAhead = new TypeAhead();
  expect(typeAhead.isTyping(5_000)).toBe(false);
  expect(typeAhead.next("s", { labels: [], index: -1, now: 5_000 })).toBeNull();
  expect([typeAhead.isTyping(5_700), typeAhead.isTyping(5_701)]).toEqual([true, false]);
});
