import { expect, it } from "vitest";
import { type KeyBinding, KeyMap, type KeyPress } from "../../../../web/console/common/key-map.ts";

const binding = (key: string, label = key): KeyBinding => ({ key, label, group: "g", run: () => {} });
const press = (key: string, change: Partial<KeyPress> = {}): KeyPress => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  isComposing: false,
  isTyping: false,
  isOnControl: false,
  ...change,
});

function map(...keys: string[]) {
  const keyMap = new KeyMap();
  keyMap.add(keys.map((key) => binding(key)));
  return (key: string, at = 0, change: Partial<KeyPress> = {}) => keyMap.match(press(key, change), at)?.key ?? null;
}

it("a key runs its binding, and another one none", () => {
  const match = map("j", "?");
  expect([match("j"), match("?"), match("J"), match("x")]).toEqual(["j", "?", null, null]);
});

it.each(["isTyping", "ctrlKey", "metaKey", "altKey", "isComposing"] as const)("a key is no key with %s", (part) => {
  const match = map("j", "g i");
  expect(match("j", 0, { [part]: true })).toBeNull();
  expect(match("g", 0, { [part]: true })).toBeNull();
  expect(match("i", 1)).toBeNull();
});

it("Enter belongs to the button or link that has the focus", () => {
  const match = map("Enter", "e");
  expect(match("Enter", 0, { isOnControl: true })).toBeNull();
  expect(match("Enter")).toBe("Enter");
  expect(match("e", 0, { isOnControl: true })).toBe("e");
});

it("two keys count together for 1.2 seconds", () => {
  const match = map("g i", "g a", "i");
  expect([match("g", 0), match("i", 1_200)]).toEqual([null, "g i"]);
  expect([match("g", 0), match("a", 10)]).toEqual([null, "g a"]);
  expect([match("g", 0), match("i", 1_201)]).toEqual([null, "i"]);
});

it("another key between two ends them, and the second key counts once", () => {
  const match = map("g i", "i", "j");
  expect([match("g", 0), match("j", 1), match("i", 2)]).toEqual([null, "j", "i"]);
  expect([match("g", 0), match("i", 1), match("i", 2)]).toEqual([null, "g i", "i"]);
  expect([match("g", 0), match("g", 1), match("i", 2)]).toEqual([null, null, "g i"]);
});

it("the newest binding of a key counts, is listed once, and the earlier one is back when it is removed", () => {
  const keyMap = new KeyMap();
  keyMap.add([binding("e", "earlier"), binding("j")]);
  const remove = keyMap.add([binding("e", "newest")]);
  expect(keyMap.match(press("e"), 0)?.label).toBe("newest");
  expect(keyMap.list().map(({ label }) => label)).toEqual(["newest", "j"]);
  remove();
  expect(keyMap.match(press("e"), 0)?.label).toBe("earlier");
});
