import type { AttributeValue } from "@aws-sdk/client-dynamodb";

/** An item in the form of the low-level client. */
export type Item = Record<string, AttributeValue>;

const CONTAINER_OVERHEAD = 3;
const ELEMENT_OVERHEAD = 1;

/**
 * The size in bytes that DynamoDB bills for an item: names and values, without the 100 bytes of storage overhead.
 */
export function itemSize(item: Item): number {
  let size = 0;
  for (const [name, value] of Object.entries(item)) size += utf8(name) + valueSize(value);
  return size;
}

/** Write units for this many bytes: 1 KB each, rounded up, at least one. */
export function writeUnits(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / 1024));
}

/** Strongly consistent read units for this many bytes: 4 KB each, rounded up, at least one. */
export function readUnits(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / 4096));
}

function valueSize(value: AttributeValue): number {
  if (value.S !== undefined) return utf8(value.S);
  if (value.N !== undefined) return numberSize(value.N);
  if (value.B !== undefined) return value.B.byteLength;
  if (value.BOOL !== undefined || value.NULL !== undefined) return 1;
  if (value.SS !== undefined) return sum(value.SS, utf8);
  if (value.NS !== undefined) return sum(value.NS, numberSize);
  if (value.BS !== undefined) return sum(value.BS, (bytes) => bytes.byteLength);
  if (value.L !== undefined) {
    return CONTAINER_OVERHEAD + sum(value.L, (element) => ELEMENT_OVERHEAD + valueSize(element));
  }
  if (value.M !== undefined) {
    const entries = Object.entries(value.M);
    return CONTAINER_OVERHEAD + sum(entries, ([name, entry]) => ELEMENT_OVERHEAD + utf8(name) + valueSize(entry));
  }
  throw new Error(`An attribute of an unknown type cannot be sized: ${Object.keys(value).join(", ")}.`);
}

/**
 * One byte, one for every two digits before the point, one for every two after it, one for a minus. Leading and
 * trailing zeros are not counted. The documentation only says "approximately"; the live service counts the two sides
 * of the point separately.
 */
export function numberSize(text: string): number {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text) ?? notANumber(text);
  const shifted = movePoint(whole, fraction, Number(exponent));
  const fractionDigits = shifted.fraction.replace(/0+$/, "");
  const wholeDigits = shifted.whole.replace(/^0+/, "");
  if (wholeDigits === "" && fractionDigits === "") return 1;
  // With a fraction, every zero of the whole part counts. Without one, the zeros at the end of 1000 do not.
  const wholePart = fractionDigits === "" ? wholeDigits.replace(/0+$/, "") : wholeDigits;
  const fractionPart = wholeDigits === "" ? fractionDigits.replace(/^0+/, "") : fractionDigits;
  return 1 + Math.ceil(wholePart.length / 2) + Math.ceil(fractionPart.length / 2) + (sign === "-" ? 1 : 0);
}

function movePoint(whole: string, fraction: string, places: number): { whole: string; fraction: string } {
  if (places >= 0) {
    const padded = fraction.padEnd(places, "0");
    return { whole: whole + padded.slice(0, places), fraction: padded.slice(places) };
  }
  const padded = whole.padStart(-places, "0");
  const at = padded.length + places;
  return { whole: padded.slice(0, at), fraction: padded.slice(at) + fraction };
}

function notANumber(text: string): never {
  throw new Error(`"${text}" is not a number as DynamoDB writes one.`);
}

function utf8(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

function sum<T>(values: readonly T[], size: (value: T) => number): number {
  return values.reduce((total, value) => total + size(value), 0);
}
