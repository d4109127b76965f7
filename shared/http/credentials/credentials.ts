import { type Refusal, refusalMessage } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { malformedCause, type RequestPace } from "#features/access/authenticate.ts";
import type { Caller, KeyCaller, SessionCaller } from "#features/access/rules/callers.ts";
import { refuseUnauthorized } from "#features/access/rules/unauthorized.ts";
import type { Session } from "#features/access/sessions.ts";
import type { Auth, Endpoint } from "../endpoint.ts";
import type { ReadableHeaders } from "../header-map.ts";
import { readCookie } from "./cookies.ts";
import { refuseForgery } from "./csrf.ts";
import { SESSION_COOKIE } from "./session-names.ts";

/** How a function identifies its callers. A function without such routes has none. */
export interface Credentials {
  readonly keys: KeyGuard | null;
  readonly sessions: SessionGuard | null;
  /**
   * Counts one request of the caller, and of the tenant that it names. Null when requests are not limited.
   * @param namedTenant the caller may be a stranger to it
   */
  readonly rateLimit: (caller: Caller, now: Millis, namedTenant: TenantId | null) => Promise<RequestPace | null>;
}

/** Takes the raw Authorization header; undefined when it is absent. */
export interface KeyGuard {
  /** Whether the header has the form of a key's. It proves nothing and reads nothing. */
  readonly hasForm: (header: string | undefined) => boolean;
  /** Resolves the header to its key. */
  readonly authenticate: (header: string | undefined, now: Millis) => Promise<KeyCaller | Refusal<"unauthorized">>;
}

export interface SessionGuard {
  /** Whether a text has the form of a token. It proves nothing, and needs no key and no read. */
  readonly hasForm: (token: string) => boolean;
  /** Opens a token, without reading the user. Null when it is not valid. */
  readonly open: (token: string, now: Millis) => Promise<Session | null>;
  /** Reads the user and the memberships. */
  readonly authenticate: (session: Session) => Promise<SessionCaller | Refusal<"unauthorized">>;
  /** The only origin whose pages may write with a session. */
  readonly consoleOrigin: string;
}

/** The credentials of a function whose routes need none. */
export const noCredentials: Credentials = { keys: null, sessions: null, rateLimit: async () => null };

/** A credential in the right form, which may still be that of no caller. */
export type Credential =
  | { readonly kind: "key"; readonly header: string | undefined }
  | { readonly kind: "session"; readonly token: string };

/**
 * Reads the credential of a request by its form alone, so that a request without one costs no more than its headers. A
 * request with an Authorization header is a key's, valid or not, and its cookies are not read: so a key is never asked
 * for a CSRF token. Where only a key counts, cookies are not read either.
 */
export function readCredential(
  { keys, sessions }: Credentials,
  { auth }: Pick<Endpoint<never>, "auth">,
  headers: ReadableHeaders,
): Credential | Refusal<"unauthorized"> {
  const authorization = headers.get("authorization");
  const isCookieRead = authorization === null && auth !== "key";
  const cookie = isCookieRead ? readCookie(headers.get("cookie"), SESSION_COOKIE) : null;
  if (cookie === null) {
    const header = authorization ?? undefined;
    if (auth === "session" || !keys) return refuseUnauthorized("no_session");
    return keys.hasForm(header) ? { kind: "key", header } : refuseUnauthorized(malformedCause(header));
  }
  if (cookie === "invalid" || !sessions?.hasForm(cookie.value)) return refuseUnauthorized("invalid_session");
  return { kind: "session", token: cookie.value };
}

/** Identifies the caller by its credential. A forged write of a session is refused before anything is read. */
export async function identifyCaller(
  { keys, sessions }: Credentials,
  credential: Credential,
  { method, headers }: { readonly method: Endpoint<never>["method"]; readonly headers: ReadableHeaders },
  now: Millis,
): Promise<Caller | Refusal<"unauthorized" | "csrf_failed">> {
  if (credential.kind === "key")
    return keys ? keys.authenticate(credential.header, now) : refuseUnauthorized("no_session");
  const session = await sessions?.open(credential.token, now);
  if (!sessions || !session) return refuseUnauthorized("session_ended");
  const forgery = method === "GET" ? null : refuseForgery(headers, session.csrfToken, sessions.consoleOrigin);
  return forgery ?? sessions.authenticate(session);
}

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
