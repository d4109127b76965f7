import { describe, expect, it } from "vitest";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import { cpuRatio, microsPerRead } from "./cpu-ratio.ts";
import {
  ANSWER_LENGTH,
  BODY_LENGTH,
  bodyDoors,
  FILE_LENGTH,
  fileDoors,
  HEADERS_LENGTH,
  headerDoors,
  jsonDoors,
  type Parser,
  platformDoors,
} from "./doors.ts";
import { fill, hostileTexts, hostileUnits } from "./hostile-texts.ts";

// No text costs more than its length: the largest text that reaches a parser takes at most four times the CPU of an
// ordinary text of the same length, or of one pass over its characters where an ordinary text is refused at once.

const RATIO_MAX = 4;
/** Five megabytes are read some thirty times, on a machine that may be busy. */
const READING_MAX: Millis = 5 * MINUTE;

/** A pass over the characters, without anything else. */
function passOver(text: string): number {
  let last = 0;
  for (let index = 0; index < text.length; index++) last ^= text.charCodeAt(index);
  return last;
}

/** The hostile texts that cost more than they may. */
function costlyTexts({ ordinary, units = [], starts = [], read }: Parser, length: number): string[] {
  const twin = fill(ordinary, length);
  const reference = () => {
    passOver(twin);
    return read(twin);
  };
  const allowed = RATIO_MAX * Math.min(...Array.from({ length: 20 }, () => microsPerRead(reference, 4)));
  const texts = ["", ...starts].flatMap((start) => hostileTexts([...hostileUnits, ...units], length, start));
  return texts.flatMap(({ name, text }) => {
    const measured = () => read(text);
    if (microsPerRead(measured, 1) <= allowed) return [];
    const ratio = cpuRatio(measured, reference, RATIO_MAX);
    return ratio > RATIO_MAX ? [`${name}: ${ratio.toFixed(1)}`] : [];
  });
}

describe.each([
  ["10 KB of headers", HEADERS_LENGTH, headerDoors],
  ["256 KB of a body", BODY_LENGTH, bodyDoors],
  ["1 MB of a platform's answer", ANSWER_LENGTH, platformDoors],
  ["the beginning of a file or a response", FILE_LENGTH, fileDoors],
] as const)("a text of %s", (_, length, parsers: readonly Parser[]) => {
  it.each(parsers.map((parser) => [parser.name, parser] as const))(
    "a text costs no more than its length: %s",
    (_name, parser) => {
      expect(costlyTexts(parser, length)).toEqual([]);
    },
  );
});

const escapes = JSON.stringify("\u0001\u0002");
it.each(jsonDoors.map((door) => [door.name, door] as const))(
  "a JSON text costs no more than its length: %s",
  (_, door) => {
    const { length, around, ordinary, read } = door;
    const document = (value: string) => {
      const count = Math.floor((length - around[0].length - around[1].length) / (value.length + 1));
      return around.join(Array.from({ length: count }, () => value).join(","));
    };
    const twin = document(ordinary);
    const fields = Array.from({ length: 200 }, (_, index) => `"k${index}":1`).join(",");
    const values = ["0", "[]", "{}", '""', "null", "-1e1", "1234567890123456789", escapes, '{"a":{"a":{"a":0}}}'];
    const nested = `${"[".repeat(30)}${"]".repeat(30)}`;
    const texts = [
      ...[...values, nested, `{${fields}}`, '":1234567890123456789"'].map(document),
      `${twin.slice(0, -around[1].length)},":1234567890123456789"${around[1]}`,
      `${twin.slice(0, -around[1].length)},1234567890123456789${around[1]}`,
      fill("[", length),
      fill('{"a":', length),
      fill('"\\', length),
      `"${fill('\\"', length - 1)}`,
      fill("1", length),
      fill(" ", length),
      fill("[1234567890123456,", length),
    ];
    const reference = () => read(twin);
    const allowed = RATIO_MAX * Math.min(...Array.from({ length: 3 }, () => microsPerRead(reference, 1)));
    const costly = texts.flatMap((text) => {
      const measured = () => read(text);
      if (microsPerRead(measured, 1) <= allowed) return [];
      const ratio = cpuRatio(measured, reference, RATIO_MAX);
      const start = around[0].length;
      return ratio > RATIO_MAX ? [`${text.slice(start, start + 30)}: ${ratio.toFixed(1)}`] : [];
    });
    expect(costly).toEqual([]);
  },
  READING_MAX,
);
