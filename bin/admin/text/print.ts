import { printableJson, printableLine, printableText } from "#base/kernel/text/printable.ts";

// Everything that a command prints. People write parts of it: a terminal would obey the controls in them.

/** Prints lines to standard output. */
export function printLines(text: string): void {
  process.stdout.write(`${printableText(text)}\n`);
}

/** Prints one line to standard output, also if the text has line breaks. */
export function printLine(text: string): void {
  process.stdout.write(`${printableLine(text)}\n`);
}

/** Prints one line of JSON to standard output, with escapes for what a terminal would obey. */
export function printJson(value: unknown): void {
  process.stdout.write(`${printableJson(value)}\n`);
}

/** Prints lines to standard error. */
export function printProblem(text: string): void {
  process.stderr.write(`${printableText(text)}\n`);
}
