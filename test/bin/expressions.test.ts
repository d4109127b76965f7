import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { superLinearReasons } from "../../bin/expressions/super-linear.ts";

const program = fileURLToPath(new URL("../../bin/expressions.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "expressions-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** @returns the exit code and the lines of the program over one file */
function check(source: string): [number | null, string[]] {
  mkdirSync(join(folder, "shared"), { recursive: true });
  writeFileSync(join(folder, "shared", "a.ts"), source);
  const { status, stderr } = spawnSync(process.execPath, [program, folder], { encoding: "utf8" });
  return [status, stderr.split("\n").filter((line) => line !== "")];
}

it.each([
  ["a repeated end", "[ \\t]+$", "g"],
  ["a repeated end beside another alternative", "^[ \\t]+|[ \\t]+$", "g"],
  ["two repeats of the same text", "^a+b?a+$", ""],
  ["two repeats of overlapping sets", "^\\w*[a-z]+!", ""],
  ["a repeat of a repeat", "^(a+)+$", ""],
  ["a beginning that its repeat contains", "\\bhttps?:\\S*end", "gi"],
  ["a beginning of a group that its repeat contains", "(?:http:)(\\S*)(?:end)", ""],
  ["a token that may begin at each of its parts", "\\bkey[\\w-]+\\.x", ""],
  ["lines that are not where it ends", "^\\s*x", "m"],
])("an expression whose cost is more than linear is refused: %s", (_, source, flags) => {
  expect(superLinearReasons(source, flags)).not.toEqual([]);
});

it.each([
  ["a repeated end that begins once", "(?<![ \\t])[ \\t]+$", "g"],
  ["a whole text", "^[a-z]+$", ""],
  ["two repeats apart", "^[a-z]+-[0-9]+$", ""],
  ["a search that nothing makes fail", "\\bhttps?:\\S*", "g"],
  ["a beginning that its repeat excludes", '"([^"]*)"', "g"],
  ["a token that begins once", "(?<![\\w-])key[\\w-]+\\.x", ""],
])("an expression whose cost is more than linear is accepted: %s", (_, source, flags) => {
  expect(superLinearReasons(source, flags)).toEqual([]);
});

it.each([
  ["a literal", "export const a = /a+$/;\n"],
  ["a text of the file", `const END = "a+$";\nexport const a = new RegExp(\`b?$\{END}\`);\n`],
  ["a text that is unknown before it runs", "export const a = (end: string) => new RegExp(end);\n"],
  ["a call without new", 'export const a = (end: string) => RegExp(end, "g");\n'],
])("the check of the product's expressions refuses %s with its line", (_, source) => {
  const [status, lines] = check(source);
  expect([status, lines.length]).toEqual([1, 1]);
  expect(lines[0]).toMatch(/^shared\/a\.ts:[12]: .+ Rewrite it, or argue in a comment/);
});

it("the check of the product's expressions accepts an exception that is argued above it, and refuses one that nothing needs", () => {
  const argued = "// Super-linear: the text has 20 characters at most.\n";
  expect(check(`${argued}export const a = /a+$/;\n`)).toEqual([0, []]);
  expect(check(`${argued}export const a = /^a+$/;\n`)).toEqual([
    1,
    ["shared/a.ts:2: the cost is linear. Remove the comment `// Super-linear: …`."],
  ]);
  expect(check(`// Super-linear:\nexport const a = /a+$/;\n`)[0]).toBe(1);
  expect(check("export const a = /^a+$/;\n")).toEqual([0, []]);
});
