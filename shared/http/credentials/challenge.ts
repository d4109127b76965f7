import { type Refusal, refusalMessage } from "#base/kernel/refusals.ts";
import type { Auth } from "../endpoint.ts";
import { SESSION_COOKIE } from "./session-names.ts";

/**
 * The value of `WWW-Authenticate` of a 401: RFC 6750 for a key, with the cause in words; for a route that takes sessions
 * alone, the cookie that it reads.
 * @param refusal null where the handler refused
 */
export function authenticateChallenge(auth: Auth, refusal: Refusal | null): string {
  if (auth === "session") return `Cookie realm="parley", cookie-name="${SESSION_COOKIE}"`;
  if (refusal === null || refusal.detail === "no_credential") return 'Bearer realm="parley"';
  return `Bearer realm="parley", error="invalid_token", error_description="${refusalMessage(refusal)}"`;
}
