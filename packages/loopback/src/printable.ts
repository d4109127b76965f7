// Controls move the cursor of a terminal, direction marks reorder a text, and characters without a shape hide in it.

const CONTROL_RUNS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** Emoji and some scripts need the two joiners. */
const FORMAT_CHARACTERS = /(?![\u200c\u200d])[\p{Cf}\u{e0000}-\u{e007f}]/gu;

/** A text of others as people read it, with `\n` between its lines: without controls and format characters. */
export function printableText(text: string): string {
  return text
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => line.replace(CONTROL_RUNS, " ").replace(FORMAT_CHARACTERS, ""))
    .join("\n");
}
