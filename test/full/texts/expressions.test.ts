import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { findExpressions } from "../../../bin/expressions/find-expressions.ts";
import { cpuRatio, microsPerRead } from "./cpu-ratio.ts";
import { HEADERS_LENGTH } from "./doors.ts";
import { exampleTexts } from "./example-texts.ts";
import { fill, hostileTexts, hostileUnits } from "./hostile-texts.ts";

// `npm run check` reads the expressions. This test runs them, on the texts that they begin to match.

const RATIO_MAX = 4;
/** Searching a text costs as much as searching its parts, where the cost grows with the length alone. */
const PARTS = 32;
const PART_LENGTH = HEADERS_LENGTH / PARTS;
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

it.each(distinct)(
  "an expression searches 10 KB in at most four times what its parts take: %s",
  (_, { source, flags }) => {
    const expression = new RegExp(source, flags.replace("y", ""));
    const search = (text: string) => (flags.includes("g") ? text.replace(expression, "") : expression.test(text));
    const units = [...exampleTexts(source, flags), ...hostileUnits];
    const costly = hostileTexts(units, HEADERS_LENGTH).flatMap(({ name, text }) => {
      const parts = Array.from({ length: PARTS }, (_each, index) => fill(text.slice(index * PART_LENGTH), PART_LENGTH));
      const whole = () => search(text);
      const inParts = () => parts.forEach(search);
      if (microsPerRead(whole, 1) <= MICROS_MIN) return [];
      const ratio = cpuRatio(whole, inParts, RATIO_MAX);
      return ratio > RATIO_MAX ? [`${name}: ${ratio.toFixed(1)}`] : [];
    });
    expect(costly).toEqual([]);
  },
);

it("the check finds the expressions of the product", () => {
  expect(distinct.length).toBeGreaterThan(150);
});
