import { SESSION_LIFETIME } from "#base/kernel/limits.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import type { SealedSession } from "#features/access/sessions.ts";
import { CSRF_COOKIE, SESSION_COOKIE } from "./session-names.ts";

/**
 * The value of a cookie in the request's Cookie header. Null when it is absent; "invalid" when it is sent twice, since
 * another site of the same domain may have set one of them, or under a name that only looks the same. Only spaces and
 * tabs are trimmed: a wider trim reads a name with a no-break space as the plain one. Reads each character at most twice.
 */
export function readCookie(header: string | null, name: string): { readonly value: string } | "invalid" | null {
  const text = header ?? "";
  let cookie: { readonly value: string } | null = null;
  for (let start = 0; start < text.length; ) {
    const nameEnd = findEnd(text, start, true);
    const pairEnd = findEnd(text, nameEnd, false);
    if (looksLike(text, start, nameEnd, name)) {
      const isNamed = trimBlanks(text, start, nameEnd) === name && nameEnd < pairEnd;
      if (!isNamed || cookie) return "invalid";
      cookie = { value: trimBlanks(text, nameEnd + 1, pairEnd) };
    }
    start = pairEnd + 1;
  }
  return cookie;
}

// Codes, because a single character of a text is a text of its own, which takes longer to make than to compare.
const [TAB, SPACE, SEMICOLON, EQUALS, FIRST_VISIBLE, LAST_VISIBLE] = [0x09, 0x20, 0x3b, 0x3d, 0x21, 0x7e];

/** The position of the first `;` from `start`, or also of the first `=`; the length of the text if there is none. */
function findEnd(text: string, start: number, mayBeEquals: boolean): number {
  let position = start;
  for (; position < text.length; position++) {
    const code = text.charCodeAt(position);
    if (code === SEMICOLON || (mayBeEquals && code === EQUALS)) break;
  }
  return position;
}

/** Whether a part of a text is the name as a person sees it, without spaces and characters that are not shown. */
function looksLike(text: string, start: number, end: number, name: string): boolean {
  let nameIndex = 0;
  for (let position = start; position < end; position++) {
    const code = text.charCodeAt(position);
    if (code < FIRST_VISIBLE || code > LAST_VISIBLE) continue;
    if (code !== name.charCodeAt(nameIndex)) return false;
    nameIndex += 1;
  }
  return nameIndex === name.length;
}

/** A part of a text without the spaces and tabs around it. */
function trimBlanks(text: string, start: number, end: number): string {
  let [first, last] = [start, end];
  while (first < last && isBlank(text.charCodeAt(first))) first += 1;
  while (first < last && isBlank(text.charCodeAt(last - 1))) last -= 1;
  return text.slice(first, last);
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
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
