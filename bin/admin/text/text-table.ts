import { printableLine } from "#base/kernel/text/printable.ts";

/** Rows below their headings, in columns. Each row is one line, also if a cell has line breaks. */
export function formatTable(headings: readonly string[], cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map(printableLine));
  const widths = headings.map((_, column) => Math.max(...[headings, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [headings, ...rows].map(line).join("\n");
}
