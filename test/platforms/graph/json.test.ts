import fc from "fast-check";
import { expect, it } from "vitest";
import { parseJson } from "#platforms/graph/json.ts";

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;
const parseWith = JSON.parse as (text: string, reviver: Reviver) => unknown;

/** What a reviver that sees each number's digits makes of a text; undefined when it is no JSON. */
function revived(text: string): unknown {
  try {
    return parseWith(text, (_key, value, { source = "" }) =>
      typeof value === "number" && !Number.isSafeInteger(value) && /^\d+$/.test(source) ? source : value,
    );
  } catch {
    return undefined;
  }
}

const digits = fc.integer({ min: 0, max: 10 ** 15 }).map((number) => `${number}${String(number).padStart(9, "7")}`);
const numberText = fc
  .tuple(fc.constantFrom("", "-", "0", "+"), digits, fc.constantFrom("", ".5", "e2", "E-3", "-1", "x"))
  .map((parts) => parts.join(""));
const stringText = fc
  .array(fc.constantFrom('\\"', "\\\\", "[1234567890123456789", ":9007199254740993,", "a", " ", "{"))
  .map((parts) => `"${parts.join("")}"`);
const piece = fc.oneof(numberText, stringText, fc.constantFrom("true", "null", "[]", "{}", '"', "\\", ""));

it("the JSON of a platform has each long integer with all its digits, as a reviver would read them", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), fc.constantFrom(",", ", ", ":", " "), (pieces, separator) => {
      const text = `{"a":[${pieces.join(separator)}]}`;
      expect(parseJson(text), text).toEqual(revived(text));
    }),
    { numRuns: 2_000 },
  );
});

it.each([
  ["[9007199254740991, 9007199254740992]", [9007199254740991, "9007199254740992"]],
  ['{"id":17841400000000001,"text":":17841400000000001"}', { id: "17841400000000001", text: ":17841400000000001" }],
  ["[-90071992547409920]", [-90071992547409920]],
  ["[00000000000000000001]", undefined],
])("the text %s is parsed with all digits of its integers, or is no JSON", (text, value) => {
  expect(parseJson(text)).toEqual(value);
});
