import { randomToken } from "#base/kernel/bytes.ts";
import { SIGN_IN_LINK_LIFETIME } from "#base/kernel/limits.ts";
import { pathCookie, readCookie } from "#http/credentials/cookies.ts";
import { isCookieSecure } from "#http/credentials/secure-cookies.ts";
import type { RequestMetadata } from "#http/endpoint.ts";

/** The cookie of a browser that requests sign-in links. Scripts cannot read it. */
const SIGN_IN_COOKIE = "console_sign_in";
const BYTES = 32;

interface OriginPorts {
  readonly consoleOrigin: string;
  /** The public URL of the API. */
  readonly baseUrl: string;
}

/** The secret of a browser: 32 random bytes in base64url. Null when it has none in the exact form, or two. */
export function readBrowserSecret({ headers }: Pick<RequestMetadata, "headers">): string | null {
  const cookie = readCookie(headers.get("cookie"), SIGN_IN_COOKIE);
  if (cookie === null || cookie === "invalid") return null;
  const bytes = Buffer.from(cookie.value, "base64url");
  return bytes.byteLength === BYTES && bytes.toString("base64url") === cookie.value ? cookie.value : null;
}

/**
 * The secret that the browser has, or a new one. Null for a request that a page of another origin caused: it could request a
 * link for its own address with this browser, and then sign this browser in to that address.
 */
export function browserSecretFor(request: Pick<RequestMetadata, "headers">, ports: OriginPorts): string | null {
  if (!isOfConsole(request, ports)) return null;
  return readBrowserSecret(request) ?? randomToken(BYTES).toString("base64url");
}

/** The Set-Cookie value of a secret, for the time of a link. Only the routes around a sign-in get it. */
export function browserCookie(secret: string, { baseUrl }: Pick<OriginPorts, "baseUrl">): string {
  const cookie = { name: SIGN_IN_COOKIE, value: secret, path: "/console/auth", maxAge: SIGN_IN_LINK_LIFETIME };
  return pathCookie(cookie, isCookieSecure(baseUrl));
}

/** A program sends neither header. */
function isOfConsole({ headers }: Pick<RequestMetadata, "headers">, { consoleOrigin, baseUrl }: OriginPorts): boolean {
  const origin = headers.get("origin");
  if (origin === consoleOrigin || origin === new URL(baseUrl).origin) return true;
  const site = headers.get("sec-fetch-site");
  return origin === null && (site === null || site === "same-origin");
}
