import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { describe, expect, test } from "vitest";
import { itemSize, numberSize, readUnits, writeUnits } from "./item-size.ts";

describe("an item's size is the one that DynamoDB bills", () => {
  const values: [string, AttributeValue, number][] = [
    ["an empty string is its name alone", { S: "" }, 0],
    ["a string is its UTF-8 bytes", { S: "héllo" }, 6],
    ["an emoji is four bytes", { S: "🙂" }, 4],
    ["binary is its raw bytes, not its base64", { B: new Uint8Array(10) }, 10],
    ["a boolean is one byte", { BOOL: false }, 1],
    ["null is one byte", { NULL: true }, 1],
    ["an empty list is three bytes", { L: [] }, 3],
    ["an empty map is three bytes", { M: {} }, 3],
    ["a list adds one byte an element", { L: [{ S: "ab" }, { BOOL: true }] }, 3 + (1 + 2) + (1 + 1)],
    ["a map adds one byte an entry, and its names", { M: { key: { S: "ab" } } }, 3 + 1 + 3 + 2],
    ["containers nest", { L: [{ M: { a: { L: [] } } }] }, 3 + 1 + (3 + 1 + 1 + 3)],
    ["a string set is the sum of its members", { SS: ["ab", "c"] }, 3],
    ["a number set is the sum of its members", { NS: ["27", "-27"] }, 5],
    ["a binary set is the sum of its members", { BS: [new Uint8Array(2), new Uint8Array(3)] }, 5],
  ];
  test.each(values)("the size of an item is billed so that %s", (_promise, value, bytes) => {
    expect(itemSize({ näme: value })).toBe(5 + bytes);
  });

  test("an item is the sum of its attributes", () => {
    expect(itemSize({})).toBe(0);
    expect(itemSize({ PK: { S: "CONV#a" }, SK: { S: "~HEAD" }, n: { N: "27" } })).toBe(2 + 6 + 2 + 5 + 1 + 2);
  });

  test("an attribute of an unknown type is refused", () => {
    expect(() => itemSize({ a: { $unknown: ["X", 1] } })).toThrow(/unknown type/);
  });
});

describe("a number's size", () => {
  test.each([
    ["0", 1],
    ["0.00", 1],
    ["-0", 1],
    ["7", 2],
    ["27", 2],
    ["-27", 3],
    ["461", 3],
    ["1000", 2],
    ["0027", 2],
    ["1E125", 2],
    ["1E-130", 2],
    ["1.5", 3],
    ["1.50", 3],
    ["0.05", 2],
    ["100.5", 4],
    ["1.05e1", 3],
    ["12e-1", 3],
    ["1763735937123", 8],
    ["12345678901234567890123456789012345678", 20],
    ["-12345678901234567890123456789012345678", 21],
  ])("%s takes %d bytes", (text, bytes) => {
    expect(numberSize(text)).toBe(bytes);
  });

  test("a text that is not a number is refused", () => {
    expect(() => numberSize("12a")).toThrow(/not a number/);
  });
});

test("write units are kilobytes rounded up, at least one", () => {
  expect([0, 1, 1024, 1025, 2048, 2049].map(writeUnits)).toEqual([1, 1, 1, 2, 2, 3]);
});

test("read units are four kilobytes rounded up, at least one", () => {
  expect([0, 1, 4096, 4097].map(readUnits)).toEqual([1, 1, 1, 2]);
});
