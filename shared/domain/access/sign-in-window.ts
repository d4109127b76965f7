import type { Millis } from "../../kernel/time.ts";
import { SIGN_IN_WINDOW } from "../limits.ts";

/** The window in which sign-in links are counted: from `start` (inclusive) to `end` (exclusive). */
export function signInWindow(now: Millis): { readonly start: Millis; readonly end: Millis } {
  const start = Math.floor(now / SIGN_IN_WINDOW) * SIGN_IN_WINDOW;
  return { start, end: start + SIGN_IN_WINDOW };
}
