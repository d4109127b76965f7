import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { lacksSubject, testNames } from "./support/names/test-names.ts";

const root = resolve(import.meta.dirname, "..");

const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "test"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\0")
  .filter((path) => path.endsWith(".ts"));

test("every test's name is a sentence with its own subject", () => {
  const names = files.flatMap((file) => testNames(resolve(root, file)).map((name) => ({ file, ...name })));
  expect(names.length).toBeGreaterThan(2_000);
  const offenders = names.filter(({ name }) => lacksSubject(name));
  expect(offenders.map(({ file, line, name }) => `${file}:${line} ${name}`)).toEqual([]);
});

test.each([
  "is refused",
  "returns 404",
  "refuses a reply",
  "of a test key is refused",
  "with a test key takes every check, and its id is sent by a test key only",
  "without content is unsupported",
  "and is not sent again",
  "whose code is past stays hidden",
  "it is closed when its key is revoked",
  "its detail never contains a token",
  "they are at most twenty",
  "one fires for any error of a function",
  "none runs in a VPC",
  "beside one of the declaration itself",
  "for the first time is undone where the subscription is refused: no account, no token",
  "with a session token, which no local credential has, is refused",
  "name the platform's failure",
  "%s",
  "$title: $valid",
  "%s – %o",
])("“%s” has no subject", (name) => {
  expect(lacksSubject(name)).toBe(true);
});

test.each([
  "a reply after the window is refused",
  "after a restart, objects have their last state",
  "when a key that was revoked is used, it is refused",
  "of the imports between features, at least half stay inside",
  "in a thread that is closed, sends are refused",
  "one frame reaches each socket",
  "others' names are hidden",
  "reads of a batch are rounded item by item",
  "nothing is sent twice",
  "%s is refused",
  "$title is refused",
])("“%s” has a subject", (name) => {
  expect(lacksSubject(name)).toBe(false);
});
