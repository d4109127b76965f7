import { DAY, type Millis, SECOND } from "#base/kernel/time.ts";
import { readId } from "../json.ts";

// Readers of the values that a connection is made of. Every function accepts any value and never throws.

const TOKEN_CHARS_MAX = 2_048;
const LIFE_MAX: Millis = 3_650 * DAY;

/** An account, a page or a person. @returns null when the id is absent or cannot be part of a key */
export function readAccountId(value: unknown): string | null {
  return readId(value) ?? null;
}

/** A token that an HTTP header can carry. */
export function readToken(value: unknown): string | null {
  return typeof value === "string" && value.length <= TOKEN_CHARS_MAX && /^[!-~]+$/.test(value) ? value : null;
}

/** `expires_in`, in seconds. @returns null when it is absent or no length of time */
export function readLife(value: unknown): Millis | null {
  const seconds = typeof value === "string" && /^\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof seconds !== "number" || !(seconds > 0)) return null;
  return Math.min(Math.floor(seconds * SECOND), LIFE_MAX);
}

/** A list of names, as a list or as text with commas. @returns null for anything else */
export function readNames(value: unknown): string[] | null {
  const names = typeof value === "string" ? value.split(",").map((name) => name.trim()) : value;
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : null;
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)$/;

/** A time such as `2026-11-22T10:00:00+0000`. @returns null for anything else */
export function readIsoTime(value: unknown): Millis | null {
  if (typeof value !== "string" || !ISO_TIME.test(value)) return null;
  const at = Date.parse(value.replace(/([+-]\d\d)(\d\d)$/, "$1:$2"));
  return at > 0 ? at : null;
}
