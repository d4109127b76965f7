import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { findExpressions } from "../../../bin/expressions/find-expressions.ts";
import { cpuRatio, microsPerRead } from "./cpu-ratio.ts";
import { HEADERS_LENGTH } from "./doors.ts";
import { exampleTexts } from "./example-texts.ts";
import { hostileTexts, hostileUnits } from "./hostile-texts.ts";

// `npm run check` reads the expressions. This test runs them, on the texts that they begin to match.

const RATIO_MAX = 4;
/** A text costs as much as short texts of the same form and the same length together, where the cost grows with the length alone. */
const SHORT_TEXTS = 32;
/** Microseconds for 10 KB, so little that the whole text cannot have been searched more than once. */
const MICROS_MIN = 60;
const root = fileURLToPath(new URL("../../..", import.meta.url));

const expressions = globSync("{shared,functions,packages,web,local,lib,bin}/**/*.ts", {
  cwd: root,
  exclude: (name) => name.includes("node_modules"),
})
  .flatMap((file) => findExpressions(file, readFileSync(join(root, file), "utf8")))
  .flatMap(({ source, flags, exception }) => (source === null || exception !== null ? [] : [{ source, flags }]));
const distinct = [...new Map(expressions.map((each) => [`/${each.source}/${each.flags}`, each])).entries()];

interface Expression {
  readonly source: string;
  readonly flags: string;
}

/** The texts for which an expression takes more than its length. @param microsMin what takes less is not compared */
function costlyTexts({ source, flags }: Expression, units: readonly string[], length: number, microsMin: number) {
  const expression = new RegExp(source, flags.replace("y", ""));
  const search = (text: string) => (flags.includes("g") ? text.replace(expression, "") : expression.test(text));
  const shortTexts = hostileTexts(units, length / SHORT_TEXTS);
  return hostileTexts(units, length).flatMap(({ name, text }, index) => {
    const short = shortTexts[index]?.text ?? "";
    const long = () => search(text);
    const shorts = () => {
      for (let count = 0; count < SHORT_TEXTS; count++) search(short);
    };
    if (microsPerRead(long, 1) <= microsMin) return [];
    const ratio = cpuRatio(long, shorts, RATIO_MAX);
    return ratio > RATIO_MAX ? [`${name}: ${ratio.toFixed(1)}`] : [];
  });
}

it.each(distinct)("an expression searches 10 KB in at most four times what short texts take: %s", (_, expression) => {
  const units = [...exampleTexts(expression.source, expression.flags), ...hostileUnits];
  expect(costlyTexts(expression, units, HEADERS_LENGTH, MICROS_MIN)).toEqual([]);
});

it.each([
  ["from each character to the end", ",+;", ""],
  ["from each character to an end that does not match", ",+$", ""],
  ["in every way to divide it", "^(,*,*);", ""],
  ["by replacing, from each character", ",+;", "g"],
])("an expression that searches a text %s is refused", (_, source, flags) => {
  expect(costlyTexts({ source, flags }, [","], 2048, MICROS_MIN)).not.toEqual([]);
});

it("an expression that searches a text once from its start is accepted, although little is compared", () => {
  const source = "^(Access denied|Stack .* cannot be read)";
  expect(costlyTexts({ source, flags: "" }, ["Stack ", "Stack  cannot be "], HEADERS_LENGTH, 0)).toEqual([]);
});

it("the check finds the expressions of the product", () => {
  expect(distinct.length).toBeGreaterThan(150);
});
