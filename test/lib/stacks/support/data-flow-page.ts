import { readFileSync } from "node:fs";
import { RETENTION } from "#base/kernel/limits.ts";
import { DAY, HOUR, MINUTE, type Millis } from "#base/kernel/time.ts";
import { readPage } from "../../../docs/markdown.ts";

/** The page about where data of people and secrets are. */
export const PAGE = "docs/operate/data-flow.md";
export const page = readPage(PAGE);

/** The table of a section, by its first cell: the other cells. Throws if the section has none, or a row twice. */
export function tableOf(heading: string): ReadonlyMap<string, readonly string[]> {
  const [, rest = ""] = page.split(`\n## ${heading}\n`);
  const [section = ""] = rest.split("\n## ");
  const rows = [...section.matchAll(/^\| (.+) \|$/gm)].map(([, row = ""]) => row.split("|").map((cell) => cell.trim()));
  const table = new Map(rows.slice(1).map(([first = "", ...others]) => [first, others]));
  if (table.size < 3 || table.size < rows.length - 1)
    throw new Error(`${PAGE}: no table of ${heading}, or a row twice.`);
  return table;
}

/** The last cell of a row. Throws if there is no such row. */
export function lifetimeOf(table: ReadonlyMap<string, readonly string[]>, row: string): string {
  const cells = table.get(row);
  if (!cells) throw new Error(`${PAGE} has no row ${row}.`);
  return cells.at(-1) ?? "";
}

/** A duration as the page writes it, such as `7 days and 1 hour`. */
export function durationText(time: Millis): string {
  const parts = [
    [Math.floor(time / DAY), "day"],
    [Math.floor((time % DAY) / HOUR), "hour"],
    [Math.floor((time % HOUR) / MINUTE), "minute"],
  ] as const;
  const words = parts.flatMap(([count, unit]) => (count === 0 ? [] : [`${count} ${unit}${count === 1 ? "" : "s"}`]));
  return words.join(" and ");
}

/** A duration that a source file does not export, such as `const ITEM_TTL: Millis = 2 * DAY;`. Throws if there is none. */
export function privateDuration(file: string, name: string): Millis {
  const pattern = new RegExp(`const ${name}: Millis = (?:(\\d+) \\* )?(DAY|HOUR|MINUTE|RETENTION);`);
  const [, count = "1", unit = ""] = pattern.exec(readFileSync(file, "utf8")) ?? [];
  const value = { DAY, HOUR, MINUTE, RETENTION }[unit];
  if (value === undefined) throw new Error(`${file} has no duration ${name}.`);
  return Number(count) * value;
}
