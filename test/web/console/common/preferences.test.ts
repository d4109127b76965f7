import { expect, it } from "vitest";
import { parsePreferences } from "../../../../web/console/common/stored-preferences.ts";

const defaults = { theme: "system", sound: false, notifications: false, notificationTexts: false, keys: true };

it.each([
  null,
  "",
  "{",
  "null",
  "[]",
  '{"theme":"pink","sound":1,"notifications":"yes","notificationTexts":1,"keys":0}',
])("a browser that holds %s has the preferences of a new person", (stored) => {
  expect(parsePreferences(stored)).toEqual(defaults);
});

it("preferences are read as they were stored, and nothing else is", () => {
  const chosen = { theme: "dark", sound: true, notifications: true, notificationTexts: true, keys: false };
  expect(parsePreferences(JSON.stringify({ ...chosen, name: "Mia" }))).toEqual(chosen);
  expect(parsePreferences('{"theme":"light"}')).toEqual({ ...defaults, theme: "light" });
});
