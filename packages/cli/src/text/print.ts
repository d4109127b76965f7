import { printableText } from "../../../loopback/src/printable.ts";

// Everything that a command prints. People write parts of it: a terminal would obey the controls in them.

/** Prints lines to standard output. */
export function printLines(text: string): void {
  process.stdout.write(`${printableText(text)}\n`);
}

/** Prints lines to standard error. */
export function printProblem(text: string): void {
  process.stderr.write(`${printableText(text)}\n`);
}

/** What `printableText` removes or replaces, and line separators. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200c\u200d])[\p{Cf}\u{e0000}-\u{e007f}]/gu;

/** JSON with these characters as escapes, which a program reads as they are. @param indent spaces; 0 for one line */
export function printableJson(value: unknown, indent = 0): string {
  const json = JSON.stringify(value, null, indent) as string | undefined;
  return (json ?? "null").split("\n").map(escapeUnprintable).join("\n");
}

/** The output of a command: one line per field, or one JSON object. */
export function printFields(fields: object, json: boolean): undefined {
  if (json) printLines(printableJson(fields));
  else
    for (const [name, value] of Object.entries(fields))
      printLines(`${name}: ${printableLine(String(value ?? "none"))}`);
}

/** A text of others on one line. */
export function printableLine(text: string): string {
  return printableText(text).replaceAll("\n", " ");
}

function escapeUnprintable(line: string): string {
  return line.replace(UNPRINTABLE, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}
