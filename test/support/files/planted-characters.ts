/** An escape sequence, C1, direction, zero-width, byte order mark, tags: what no person may get from another's text. */
export const plantedCharacters = [
  ..."\u0000\u0007\u001b\u007f\u0085\u009b\u061c\u200b\u200e\u200f\u202a\u202e\u2028\u2060\u2066\u2069\ufeff",
  ...["\u{e0001}", "\u{e0041}", "\u{e007f}"],
];

/** A text with all of them, whose visible part starts with `start` and ends with `end`. */
export function plantedText(start: string, end: string): string {
  return `${start}${plantedCharacters.join("x")}${end}`;
}

/** Those of the characters that a text has, as code points. */
export function plantedIn(text: string): string[] {
  return plantedCharacters
    .filter((character) => text.includes(character))
    .map((character) => `U+${character.codePointAt(0)?.toString(16)}`);
}
