const CONTROL_RUNS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** Emoji and some scripts need the two joiners. */
const FORMAT_CHARACTERS = /(?![\u200c\u200d])[\p{Cf}\u{e0000}-\u{e007f}]/gu;

/**
 * A text for people on one line: controls and line breaks are one space; direction marks, zero-width, tag and other
 * format characters are removed.
 */
export function printableLine(text: string): string {
  return text.replace(CONTROL_RUNS, " ").replace(FORMAT_CHARACTERS, "");
}

/** The same for a text of several lines, which end in `\n`. */
export function printableText(text: string): string {
  return text
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map(printableLine)
    .join("\n");
}
