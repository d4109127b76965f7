import type { Caller, KeyCaller, SessionCaller } from "../../shared/domain/access/callers.ts";
import type { RequestPace } from "../../shared/flows/access/authenticate.ts";
import type { Session } from "../../shared/flows/access/sessions.ts";
import { type Refusal, refuse } from "../../shared/kernel/refusals.ts";
import type { Millis } from "../../shared/kernel/time.ts";
import { readCookie } from "./cookies.ts";
import { refuseForgery } from "./csrf.ts";
import type { Endpoint } from "./endpoint.ts";
import { SESSION_COOKIE } from "./session-names.ts";

/** How a function identifies its callers. A function without such routes has none. */
export interface Credentials {
  readonly keys: KeyGuard | null;
  readonly sessions: SessionGuard | null;
  /** Counts one request of the caller. Null when requests are not limited. */
  readonly rateLimit: (caller: Caller, now: Millis) => Promise<RequestPace | null>;
}

/** Resolves the raw Authorization header (undefined when absent) to its key. */
export type KeyGuard = (header: string | undefined, now: Millis) => Promise<KeyCaller | Refusal<"unauthorized">>;

export interface SessionGuard {
  /** Opens a token, without reading the user. Null when it is not valid. */
  readonly open: (token: string, now: Millis) => Promise<Session | null>;
  /** Reads the user and the memberships. */
  readonly authenticate: (session: Session) => Promise<SessionCaller | Refusal<"unauthorized">>;
  /** The only origin whose pages may write with a session. */
  readonly consoleOrigin: string;
}

/** The credentials of a function whose routes need none. */
export const noCredentials: Credentials = { keys: null, sessions: null, rateLimit: async () => null };

/**
 * Identifies the caller of a route. A request with an Authorization header is a key's, valid or not, and its cookies are
 * not read: so a key is never asked for a CSRF token. A forged write of a session is refused before anything is read.
 */
export async function identifyCaller(
  credentials: Credentials,
  { auth, method }: Pick<Endpoint<never>, "auth" | "method">,
  headers: Headers,
  now: Millis,
): Promise<Caller | Refusal<"unauthorized" | "csrf_failed">> {
  const { keys, sessions } = credentials;
  const authorization = headers.get("authorization");
  const cookie = readCookie(headers.get("cookie"), SESSION_COOKIE);
  const isSession = authorization === null && cookie !== null && auth !== "key";
  if (!isSession) return keys && auth !== "session" ? keys(authorization ?? undefined, now) : refuse("unauthorized");
  if (!sessions || cookie === "invalid") return refuse("unauthorized");
  const session = await sessions.open(cookie.value, now);
  if (!session) return refuse("unauthorized");
  const forgery = method === "GET" ? null : refuseForgery(headers, session.csrfToken, sessions.consoleOrigin);
  return forgery ?? sessions.authenticate(session);
}
