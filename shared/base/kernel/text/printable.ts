// What people read of texts that others wrote: in an error's detail, on a page, in a mail and in a terminal. Controls
// move the cursor of a terminal, direction marks reorder a text, and characters without a shape hide in it.
// packages/client/src/printable.ts and packages/loopback/src/printable.ts are the same for the packages, which import nothing.

/** Controls and line separators. */
const CONTROL_RUNS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** Direction marks, zero-width, tag and other format characters. Emoji and some scripts need the two joiners. */
const FORMAT_CHARACTERS = /(?![\u200c\u200d])[\p{Cf}\u{e0000}-\u{e007f}]/gu;
/** Both. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200c\u200d])[\p{Cf}\u{e0000}-\u{e007f}]/gu;

/** Whether a text is shown as one line, in the order in which it is written. */
export function isPrintableLine(text: string): boolean {
  return text.search(UNPRINTABLE) === -1;
}

/** A text on one line: controls and line breaks are one space, format characters are removed. */
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

/** A text without any of these characters. */
export function removeUnprintable(text: string): string {
  return text.replace(UNPRINTABLE, "");
}

/** JSON with these characters as escapes, which a program reads as they are. @param indent spaces; 0 for one line */
export function printableJson(value: unknown, indent = 0): string {
  const json = JSON.stringify(value, null, indent) as string | undefined;
  return (json ?? "null").split("\n").map(escapeUnprintable).join("\n");
}

function escapeUnprintable(line: string): string {
  return line.replace(UNPRINTABLE, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}
