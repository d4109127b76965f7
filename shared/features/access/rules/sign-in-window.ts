import { SIGN_IN_WINDOW } from "#base/kernel/limits.ts";
import type { Millis } from "#base/kernel/time.ts";

/** The window in which sign-in links are counted: from `start` (inclusive) to `end` (exclusive). */
export function signInWindow(now: Millis): { readonly start: Millis; readonly end: Millis } {
  const start = Math.floor(now / SIGN_IN_WINDOW) * SIGN_IN_WINDOW;
  return { start, end: start + SIGN_IN_WINDOW };
}
