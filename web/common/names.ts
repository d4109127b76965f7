import { printableText } from "../../packages/client/src/printable.ts";

/** A name within a sentence: its direction changes nothing around it. For a text that is set as it is. */
export function isolated(name: string): string {
  return `\u2068${printableText(name)}\u2069`;
}
