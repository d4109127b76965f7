import { sameBytes } from "#base/kernel/bytes.ts";
import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { ReadableHeaders } from "../header-map.ts";
import { CSRF_HEADER } from "./session-names.ts";

/**
 * Refuses a write that a page of another origin may have caused. The header must repeat the token of the session, which
 * such a page cannot read. Where the browser also sends the origin of the page, it must be the console's.
 */
export function refuseForgery(
  headers: ReadableHeaders,
  csrfToken: string,
  consoleOrigin: string,
): Refusal<"csrf_failed"> | null {
  const isExpected = sameBytes(headers.get(CSRF_HEADER) ?? "", csrfToken) && hasExpectedOrigin(headers, consoleOrigin);
  return isExpected ? null : refuse("csrf_failed");
}

// The session's cookie is SameSite=Lax: a browser never sends it with a write from another site. From another origin of
// the same site only the console may write, and a browser names that origin.
function hasExpectedOrigin(headers: ReadableHeaders, consoleOrigin: string): boolean {
  const origin = headers.get("origin");
  if (origin !== null && origin !== consoleOrigin) return false;
  const site = headers.get("sec-fetch-site");
  return site === null || site === "same-origin" || site === "none" || (site === "same-site" && origin !== null);
}
