// Refuses a regular expression of the product that some texts make slower than linear: `node bin/expressions.ts [root]`.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findExpressions } from "./expressions/find-expressions.ts";
import { superLinearReasons } from "./expressions/super-linear.ts";

const [base = "."] = process.argv.slice(2);
const roots = "{shared,functions,local,lib,bin,packages,web,docs}";
const files = globSync(`${roots}/**/*.ts`, { cwd: base, exclude: (name) => name.includes("node_modules") }).sort();

for (const { file, line, source, flags, exception } of files.flatMap(readExpressions)) {
  const reasons = source === null ? ["its source is unknown before it runs"] : superLinearReasons(source, flags);
  if (reasons.length > 0 === (exception !== null)) continue;
  const problem =
    exception === null
      ? `${reasons.join("; ")}. Rewrite it, or argue in a comment \`// Super-linear: …\` above it.`
      : "the cost is linear. Remove the comment `// Super-linear: …`.";
  process.stderr.write(`${file}:${line}: ${problem}\n`);
  process.exitCode = 1;
}

function readExpressions(file: string) {
  return findExpressions(file, readFileSync(join(base, file), "utf8"));
}
