import { expect, it } from "vitest";
import { readArguments, USAGE } from "../../bin/admin/arguments.ts";
import { CliError } from "../../bin/admin/cli-error.ts";
import { findCommand } from "../../bin/admin/commands.ts";

const messageOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(CliError);
    return (error as CliError).message;
  }
  throw new Error("nothing was refused");
};

const HINT = "Run npm run admin -- --help for all commands.";

it.each([
  ["tenant crate", "tenant create"],
  ["tenant suspent", "tenant suspend"],
  ["resume tenant", "tenant resume"],
  ["tenants create", "tenant create"],
  ["tenant", "tenant create"],
  ["create key", "key create"],
  ["key", "key create"],
  ["create", "tenant create"],
  ["dlq lst", "dlq list"],
  ["dlq", "dlq list"],
  ["lisen", "listen"],
  ["repyl Hello", "reply"],
  ["replay Hello there", "reply"],
  ["mesage Hi", "message"],
  ["bananas", null],
])("%s is refused and names the nearest: %s", (typed, expected) => {
  const name = typed.split(" ").slice(0, 2).join(" ");
  const question = expected === null ? "" : ` Did you mean ${expected}?`;
  expect(messageOf(() => findCommand(readArguments(typed.split(" "))))).toBe(
    `Unknown command: ${name}.${question} ${HINT}`,
  );
});

it("a mistyped command is none of the documented commands", () => {
  const names = [...USAGE.matchAll(/npm run admin -- ((?:[a-z]+(?:-[a-z]+)* ?)+)/g)].map(([, name = ""]) =>
    name.trim(),
  );
  expect(names).toHaveLength(29);
  for (const name of names) expect(() => findCommand(readArguments(name.split(" ")))).not.toThrow();
});

it.each([
  [["listen", "--forward-too", "http://127.0.0.1:1"], "Unknown option: --forward-too. Did you mean --forward-to?"],
  [["listen", "--foward-to=x"], "Unknown option: --foward-to. Did you mean --forward-to?"],
  [["key", "create", "--quiet"], "Unknown option: --quiet."],
  [["reply", "-x"], "Unknown option: -x."],
])("%s is refused in one line", (args, expected) => {
  expect(messageOf(() => readArguments(args))).toBe(`${expected} ${HINT}`);
});

it("a mistyped option without its value is refused in one line", () => {
  expect(messageOf(() => readArguments(["listen", "--forward-to"]))).toMatch(
    /^[^\n]*--forward-to[^\n]*missing\. Run [^\n]* for all commands\.$/,
  );
});

it.each([["--help"], ["-h"]])("help is requested by %s after any command", (flag) => {
  expect(readArguments(["tenant", flag]).help).toBe(true);
  expect(readArguments(["tenant"]).help).toBe(false);
});
