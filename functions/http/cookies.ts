import { SESSION_LIFETIME } from "../../shared/domain/limits.ts";
import type { SealedSession } from "../../shared/flows/access/sessions.ts";
import { type Millis, SECOND } from "../../shared/kernel/time.ts";
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
    const nameEnd = findEnd(text, start, isNameEnd);
    const pairEnd = text[nameEnd] === "=" ? findEnd(text, nameEnd, isPairEnd) : nameEnd;
    if (looksLike(text, start, nameEnd, name)) {
      const isNamed = trimBlanks(text, start, nameEnd) === name && nameEnd < pairEnd;
      if (!isNamed || cookie) return "invalid";
      cookie = { value: trimBlanks(text, nameEnd + 1, pairEnd) };
    }
    start = pairEnd + 1;
  }
  return cookie;
}

const isPairEnd = (character: string | undefined) => character === ";";
const isNameEnd = (character: string | undefined) => character === "=" || character === ";";

/** The first position from `start` whose character ends something, or the length of the text. */
function findEnd(text: string, start: number, isEnd: (character: string | undefined) => boolean): number {
  let position = start;
  while (position < text.length && !isEnd(text[position])) position += 1;
  return position;
}

/** Whether a part of a text is the name as a person sees it, without spaces and characters that are not shown. */
function looksLike(text: string, start: number, end: number, name: string): boolean {
  let nameIndex = 0;
  for (let position = start; position < end; position++) {
    const character = text[position] ?? "";
    if (character < "!" || character > "~") continue;
    if (character !== name[nameIndex]) return false;
    nameIndex += 1;
  }
  return nameIndex === name.length;
}

/** A part of a text without the spaces and tabs around it. */
function trimBlanks(text: string, start: number, end: number): string {
  let [first, last] = [start, end];
  while (first < last && isBlank(text[first])) first += 1;
  while (first < last && isBlank(text[last - 1])) last -= 1;
  return text.slice(first, last);
}

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\t";
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
