import { readFileSync } from "node:fs";

/** Write and read units of one access pattern. */
export interface Units {
  readonly wcu: number;
  readonly rcu: number;
}

/** The units of the access patterns that `docs/design/table-costs.md` lists, which `test/costs` measures. */
export function readTableCosts(): (pattern: string) => Units {
  const page = readFileSync(new URL("../../docs/design/table-costs.md", import.meta.url), "utf8");
  const rows = page
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| | \|$|\*\*/g, "").trim()));
  return (pattern) => {
    const matches = rows.filter(([name]) => name === pattern);
    const [row] = matches;
    if (row === undefined || matches.length > 1)
      throw new Error(`table-costs.md has ${matches.length} rows “${pattern}”.`);
    return { wcu: firstNumber(row.at(-2)), rcu: firstNumber(row.at(-1)) };
  };
}

/** Of a cell such as `3`, `0.5 each` or an empty one. */
function firstNumber(cell = ""): number {
  return Number(/^[\d.]+/.exec(cell)?.[0] ?? 0);
}
