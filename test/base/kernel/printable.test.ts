import { expect, it } from "vitest";
import {
  isPrintableLine,
  printableJson,
  printableLine,
  printableText,
  removeUnprintable,
} from "#base/kernel/text/printable.ts";
import * as loopback from "#loopback/printable.ts";
import * as client from "../../../packages/client/src/printable.ts";
import { repetitions } from "../../support/sampling.ts";

const between = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);
const controls = [...between(0, 0x1f), ...between(0x7f, 0x9f), 0x2028, 0x2029];
const formats = [
  ...[0x61c, 0x200b, 0x200e, 0x200f, 0x2060, 0xfeff, 0xad, 0x180e],
  ...[...between(0x202a, 0x202e), ...between(0x2066, 0x2069), ...between(0xe0000, 0xe007f)],
];
const name = (code: number) => `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
const rows = (codes: readonly number[]) => codes.map((code) => [name(code), String.fromCodePoint(code)] as const);

it.each(rows(controls))("a text for people has a space instead of the control %s", (_, character) => {
  expect(printableLine(`a${character}${character}b`)).toBe("a b");
  expect(isPrintableLine(`a${character}b`)).toBe(false);
  expect(removeUnprintable(`a${character}b`)).toBe("ab");
});

it.each(rows(formats))("a text for people does not have the format character %s", (_, character) => {
  for (const clean of [printableLine, printableText, removeUnprintable]) expect(clean(`a${character}b`)).toBe("ab");
  expect(isPrintableLine(`a${character}b`)).toBe(false);
});

it.each(["👩🏽‍🚀 Ann's", "❤️", "کتاب\u200cخانه", "עברית", "ẞß", "日本語"])(
  "a text for people is otherwise as written: %s",
  (text) => {
    for (const clean of [printableLine, printableText, removeUnprintable]) expect(clean(text)).toBe(text);
    expect(isPrintableLine(text)).toBe(true);
  },
);

it("a text for people has its line breaks where it may have several lines", () => {
  expect(printableText("a\r\nb\rc\u2028d\n\ne\tf\u001b[1m")).toBe("a\nb\nc\nd\n\ne f [1m");
});

it("a text for people has the same form in the packages", () => {
  // All of the first plane's characters, and of the others in `npm test` each seventh.
  const step = repetitions({ whole: 1, sample: 7 });
  for (let code = 0; code <= 0x10ffff; code += code < 0x10000 ? 1 : step) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const text = `a${String.fromCodePoint(code)}b`;
    if (client.printableLine(text) !== printableLine(text)) throw new Error(name(code));
    if (client.printableText(text) !== printableText(text)) throw new Error(name(code));
    if (loopback.printableText(text) !== printableText(text)) throw new Error(name(code));
  }
});

it("JSON for people has escapes for what a terminal would obey, and means the same", () => {
  const value = { "k\u202e": `a\n\u009b31m\u{e0041}\u2028`, n: [1, "👩🏽‍🚀"] };
  for (const json of [printableJson(value), printableJson(value, 2)]) {
    expect(json.split("\n").every(isPrintableLine)).toBe(true);
    expect(JSON.parse(json)).toEqual(value);
  }
  expect(printableJson({ a: "\u202e" })).toBe('{"a":"\\u202e"}');
  expect(printableJson(undefined)).toBe("null");
});
