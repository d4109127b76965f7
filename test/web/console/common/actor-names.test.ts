import { expect, it } from "vitest";
import { actorName } from "../../../../web/console/common/actor-names.ts";

const ME = "console:usr_me";
const team = [
  { user_id: "usr_me", name: "Mara", email: "mara@example.com" },
  { user_id: "usr_ben", name: "Ben", email: "ben@example.com" },
  { user_id: "usr_new", name: null, email: "new@example.com" },
];

it.each([
  ["oneself", ME, team, "You"],
  ["oneself, before the team is known,", ME, undefined, "You"],
  ["a colleague", "console:usr_ben", team, "Ben"],
  ["a colleague without a name", "console:usr_new", team, "new@example.com"],
  ["who left the team", "console:usr_gone", team, "a former colleague"],
  ["a colleague, before the team is known,", "console:usr_ben", undefined, "a colleague"],
  ["a program", "crm:7", team, null],
  ["a program, before the team is known,", "crm:7", undefined, null],
  ["a program that names no actor", null, team, null],
])("%s has the right name beside a message", (_, actorId, members, name) => {
  expect(actorName(actorId, members, ME)).toBe(name);
});
