import { SESSION_LIFETIME } from "../../shared/domain/limits.ts";
import type { SealedSession } from "../../shared/flows/access/sessions.ts";
import { type Millis, SECOND } from "../../shared/kernel/time.ts";
import { CSRF_COOKIE, SESSION_COOKIE } from "./session-names.ts";

/**
 * The value of a cookie in the request's Cookie header. Null when it is absent; "invalid" when it is sent twice, since
 * another site of the same domain may have set one of them, or under a name that only looks the same. Only spaces and
 * tabs are trimmed: a wider trim reads a name with a no-break space as the plain one.
 */
export function readCookie(header: string | null, name: string): { readonly value: string } | "invalid" | null {
  let cookie: { readonly value: string } | null = null;
  for (const pair of (header ?? "").split(";")) {
    const separator = pair.indexOf("=");
    const pairName = (separator === -1 ? pair : pair.slice(0, separator)).replace(/^[ \t]+|[ \t]+$/g, "");
    if (pairName !== name && visibleText(pairName) !== name) continue;
    if (pairName !== name || separator === -1 || cookie) return "invalid";
    cookie = { value: pair.slice(separator + 1).replace(/^[ \t]+|[ \t]+$/g, "") };
  }
  return cookie;
}

/** A name as a person sees it, without spaces and characters that are not shown. */
function visibleText(name: string): string {
  return name.replace(/[^!-~]/g, "");
}

/** The cookies of a session that begins. @param isSecure false only where the console is on the loopback interface */
export function sessionCookies(session: SealedSession, isSecure: boolean): readonly string[] {
  return toSetCookies(session, SESSION_LIFETIME / SECOND, isSecure);
}

/** The cookies that remove those of a session. */
export function expiredSessionCookies(isSecure: boolean): readonly string[] {
  return toSetCookies({ token: "", csrfToken: "" }, 0, isSecure);
}

/**
 * A cookie for one path and a short time, which scripts cannot read.
 * @param cookie `maxAge`: 0 removes it
 */
export function pathCookie(
  { name, value, path, maxAge }: { readonly name: string; readonly value: string; path: string; maxAge: Millis },
  isSecure: boolean,
): string {
  return `${name}=${value}; HttpOnly; Path=${path}; Max-Age=${maxAge / SECOND}; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}

/** Without a Domain, so that no other host gets them, also no subdomain. */
function toSetCookies({ token, csrfToken }: SealedSession, maxAgeSeconds: number, isSecure: boolean): string[] {
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; SameSite=Lax${isSecure ? "; Secure" : ""}`;
  return [`${SESSION_COOKIE}=${token}; HttpOnly; ${attributes}`, `${CSRF_COOKIE}=${csrfToken}; ${attributes}`];
}
