import { expect, it } from "vitest";
import {
  formatMemory,
  type ListChoice,
  nothingStored,
  parseMemory,
  placeKey,
  withPlace,
} from "../../../../web/console/inbox/list/view-state.ts";

const all: ListChoice = { ...nothingStored.choice, view: "all" };

it("what is stored of the lists is read again", () => {
  const memory = withPlace({ ...nothingStored, choice: { ...all, platform: "messenger" } }, placeKey(all), 620);
  expect(parseMemory(formatMemory(memory))).toEqual(memory);
});

it.each([
  null,
  "",
  "{",
  "[]",
  '"text"',
  '{"view":3,"platform":"x","accountKey":1,"window":"y","places":{"a":"b","c":-1}}',
])("a stored text %j that is no choice is none", (text) => {
  expect(parseMemory(text)).toEqual(nothingStored);
});

it("each list has its own place, a list at its top has none, and the one that was left long ago is forgotten", () => {
  const memory = withPlace(withPlace(nothingStored, placeKey(all), 620), placeKey(nothingStored.choice), 124);
  expect(memory.places).toEqual({ [placeKey(all)]: 620, [placeKey(nothingStored.choice)]: 124 });
  expect(withPlace(memory, placeKey(all), 0).places).toEqual({ [placeKey(nothingStored.choice)]: 124 });
  let full = memory;
  for (let index = 0; index < 20; index++) full = withPlace(full, `list ${index}`, 62);
  expect(Object.keys(full.places)).toEqual(Array.from({ length: 20 }, (_, index) => `list ${index}`));
});
