import { cutToJsonBytes, jsonBytes } from "#base/kernel/bytes.ts";
import { MESSAGE_ID_CHARS_MAX } from "#base/kernel/limits.ts";
import { printableLine } from "#base/kernel/text/printable.ts";
import type { Millis } from "#base/kernel/time.ts";
import { isExternalId } from "#features/accounts/rules/accounts.ts";

// Readers of untrusted JSON. Every function accepts any value and never throws.

export type JsonObject = { readonly [key: string]: unknown };

// Numbers are looked for only where one may be too long to be exact.
const LONG_NUMBER = /[[,:]\s*\d{16,}/;
const LONG_DIGITS = 16;
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const NUMBER_SIGNS: ReadonlySet<number> = new Set([..."+-.eE"].map((sign) => sign.charCodeAt(0)));
/** As JSON. A cut address does not work, so a longer one is not read. */
const URL_BYTES_MAX = 4_096;
/** As JSON, for each UTF-16 unit of a text: all that characters need without escapes. */
const UNIT_BYTES_MAX = 3;
export const NAME_CHARS_MAX = 200;
export const USERNAME_CHARS_MAX = 100;
/** How much of a name is read. It may have a megabyte. */
const NAME_CHARS_READ = 1_000;
const SECONDS_MAX = 1e11;
/** The end of the year 9999. Later times have a longer ISO form. */
const LATEST: Millis = 253_402_300_799_999;

/** Parses JSON. Integers above 2^53 become strings of their digits. @returns undefined when it is not JSON */
export function parseJson(raw: Uint8Array | string): unknown {
  try {
    const text = typeof raw === "string" ? raw : new TextDecoder("utf-8", { fatal: true }).decode(raw);
    return JSON.parse(LONG_NUMBER.test(text) ? quoteLongIntegers(text) : text) as unknown;
  } catch {
    return undefined;
  }
}

// A reviver of `JSON.parse` also sees the digits, but it takes five times as long as parsing.
function quoteLongIntegers(text: string): string {
  let quoted = "";
  let copiedTo = 0;
  for (let start = 0; start < text.length; ) {
    const character = text.charCodeAt(start);
    const end = isDigit(character) ? numberEnd(text, start) : character === QUOTE ? stringEnd(text, start) : start + 1;
    if (end - start >= LONG_DIGITS && character !== QUOTE && isUnsafeInteger(text, start, end)) {
      quoted += `${text.slice(copiedTo, start)}"${text.slice(start, end)}"`;
      copiedTo = end;
    }
    start = end;
  }
  return quoted + text.slice(copiedTo);
}

/** Whether a number is an integer without a sign that JavaScript cannot represent. */
function isUnsafeInteger(text: string, start: number, end: number): boolean {
  const digits = text.slice(start, end);
  return text[start - 1] !== "-" && /^[1-9]\d*$/.test(digits) && !Number.isSafeInteger(Number(digits));
}

/** Where the number ends that starts at a position. */
function numberEnd(text: string, start: number): number {
  let end = start + 1;
  while (isInNumber(text.charCodeAt(end))) end += 1;
  return end;
}

/** Where the string ends that starts at a position, behind its quotation mark. */
function stringEnd(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && text.charCodeAt(end) !== QUOTE) end += text.charCodeAt(end) === BACKSLASH ? 2 : 1;
  return end + 1;
}

function isDigit(character: number): boolean {
  return character >= 0x30 && character <= 0x39;
}

/** A digit, a sign, a point or the letter of an exponent. */
function isInNumber(character: number): boolean {
  return isDigit(character) || NUMBER_SIGNS.has(character);
}

export function asObject(value: unknown): JsonObject | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

/**
 * Cuts a text to `max` UTF-16 units, and to three times as many bytes of JSON, without splitting a character. Only a
 * text of characters that JSON escapes reaches the second limit. @returns null when the value is not a string
 */
export function readText(value: unknown, max: number): string | null {
  if (typeof value !== "string") return null;
  const cut = value.length > max ? value.slice(0, max).replace(/[\uD800-\uDBFF]$/, "") : value;
  return cutToJsonBytes(cut.toWellFormed(), max * UNIT_BYTES_MAX);
}

/** Reads a name on one line, without control and format characters. @returns null when nothing is left of it */
export function readDisplayName(value: unknown, max: number): string | null {
  if (typeof value !== "string") return null;
  const clean = printableLine(value.slice(0, NAME_CHARS_READ)).trim();
  return readText(clean, max)?.trim() || null;
}

/** Reads a platform id that can be part of a key. @returns undefined when it is absent, null when it is invalid */
export function readId(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return undefined;
  const text = Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === "string" && isExternalId(text) ? text : null;
}

/** Reads an opaque message id. @returns null when it is empty, malformed or too long for a key */
export function readMessageId(value: unknown): string | null {
  if (typeof value !== "string" || value.length === 0 || value.length > MESSAGE_ID_CHARS_MAX) return null;
  return value.isWellFormed() ? value : null;
}

/** Reads an address on the web. Spaces in it are encoded. @returns null for anything else, and when it is too long */
export function readUrl(value: unknown): string | null {
  if (typeof value !== "string" || value.length > URL_BYTES_MAX) return null;
  const url = value.replaceAll(" ", "%20");
  return jsonBytes(url) <= URL_BYTES_MAX && /^https?:\/\/[!-~\u00a1-\ud7ff]+$/i.test(url) ? url : null;
}

/** Reads a time in milliseconds or seconds, as a number or as digits. @returns null when it is not a time */
export function readTime(value: unknown): Millis | null {
  const number = typeof value === "string" && /^\d{1,16}$/.test(value) ? Number(value) : value;
  if (typeof number !== "number" || !(number > 0)) return null;
  const at = Math.floor(number < SECONDS_MAX ? number * 1_000 : number);
  return at > 0 && at <= LATEST ? at : null;
}
