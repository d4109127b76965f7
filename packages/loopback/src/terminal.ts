import { inspect } from "node:util";
import { printableText } from "./printable.ts";

// Everything that the programs of a developer's machine print. People, clients and platforms wrote parts of it.

export function printLine(text: string): void {
  console.log(printableText(text));
}

/** Prints to stderr. An error is printed with its trace. */
export function printError(text: string, error?: unknown): void {
  console.error(printableText(error === undefined ? text : `${text} ${inspect(error)}`));
}
