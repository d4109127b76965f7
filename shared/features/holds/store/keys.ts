import type { Millis } from "#base/kernel/time.ts";
import { type Key, t13 } from "#base/table/keys.ts";

/** Attempts on the check page in a window. @param subject a source network or a hold's id */
export function verificationAttemptsKey(subject: string, windowStart: Millis): Key {
  return { PK: `TR#${subject}`, SK: t13(windowStart) };
}

/** The partition of waiting holds in the feed index, sorted by the instant when they expire. */
export const WAITING_HOLDS = "QH";
