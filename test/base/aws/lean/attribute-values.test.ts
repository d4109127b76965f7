import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import fc from "fast-check";
import { expect, it } from "vitest";
import { decodeBytes, fromBase64, readItem, writeItem } from "#base/aws/lean/attribute-values.ts";

// Items are written and read as the SDK does it: `marshall` and `unmarshall` are the reference.

const bytes = fc.uint8Array({ maxLength: 40 });
const name = fc.string({ unit: "binary", minLength: 1, maxLength: 8 }).filter((text) => text !== "__proto__");
const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
  fc.constantFrom(0, -0, 1e-130, 0.1 + 0.2),
);
const set = fc.oneof(
  fc.uniqueArray(fc.string({ unit: "binary" }), { minLength: 1, maxLength: 4 }),
  fc.uniqueArray(fc.maxSafeInteger(), { minLength: 1, maxLength: 4 }),
  fc.uniqueArray(fc.bigInt(), { minLength: 1, maxLength: 4 }),
  fc.array(bytes, { minLength: 1, maxLength: 3 }),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: "binary" }),
    number,
    fc.bigInt({ min: -(10n ** 37n), max: 10n ** 37n }),
    fc.boolean(),
    fc.constant(null),
    fc.constant(undefined),
    bytes,
    bytes.map((each) => Buffer.from(each)),
    set.map((values) => new Set<unknown>(values)),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(name, tie("value"), { maxKeys: 4 }),
    fc.uniqueArray(fc.tuple(name, tie("value")), { maxLength: 3, selector: ([key]) => key }).map((e) => new Map(e)),
  ),
}));
const item = fc.dictionary(name, value, { maxKeys: 6 });

/** The JSON of typed values, with bytes as base64. */
function toWire(typed: unknown): unknown {
  const text = JSON.stringify(typed, function (this: Record<string, unknown>, key, content) {
    const original = this[key];
    return original instanceof Uint8Array ? Buffer.from(original).toString("base64") : content;
  });
  return JSON.parse(text);
}

it("an item is written as the SDK writes it", () => {
  fc.assert(
    fc.property(item, (plain) => {
      expect(JSON.parse(writeItem(plain))).toEqual(toWire(marshall(plain, { removeUndefinedValues: true })));
    }),
  );
});

it("an item is read as the SDK reads it", () => {
  fc.assert(
    fc.property(item, (plain) => {
      const typed = marshall(plain, { removeUndefinedValues: true });
      expect(readItem(JSON.parse(writeItem(plain)))).toEqual(unmarshall(decodeBytes(toWire(typed)) as typeof typed));
    }),
  );
});

it("the typed values of an error are decoded as the SDK decodes them, and read alike", () => {
  fc.assert(
    fc.property(item, (plain) => {
      const typed = marshall(plain, { removeUndefinedValues: true });
      const decoded = decodeBytes(toWire(typed)) as typeof typed;
      expect(readItem(structuredClone(decoded))).toEqual(unmarshall(decoded));
    }),
  );
});

class Shop {
  readonly name = "a shop";
}

it.each([
  ["a number that is none", Number.NaN],
  ["an infinite number", Number.NEGATIVE_INFINITY],
  ["a number that may be another", 2 ** 53],
  ["an empty set", new Set()],
  ["a set of objects", new Set([{}])],
  ["an object of a class", new Shop()],
  ["a date", new Date(0)],
  ["a symbol", Symbol("a")],
])("%s is refused, as the SDK refuses it", (_, content) => {
  expect(() => writeItem({ content })).toThrow(Error);
  expect(() => marshall({ content }, { removeUndefinedValues: true })).toThrow(Error);
});

it("an attribute with a name of JavaScript's own stays an attribute", () => {
  const text = '{"__proto__":{"S":"x"},"constructor":{"M":{"__proto__":{"N":"1"}}}}';
  const read = readItem(JSON.parse(text));
  expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  expect(Object.entries(read).map(([key]) => key)).toEqual(["__proto__", "constructor"]);
});

it("bytes that were read are of their own type and length", () => {
  const read = fromBase64(Buffer.from([1, 2, 3]).toString("base64"));
  expect(read.constructor).toBe(Uint8Array);
  expect([...read]).toEqual([1, 2, 3]);
});

it("an answer with a type of value that does not exist is an error", () => {
  expect(() => readItem({ a: { X: "1" } })).toThrow("No value of a known type: X.");
});
