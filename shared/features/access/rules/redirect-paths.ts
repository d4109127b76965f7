/** A stored login token stays below 1 KB with a path of this length. */
const PATH_CHARS_MAX = 300;
const UNSAFE_CHARACTERS = /\p{C}/u;
/** Where the console is served on the origin of the API. */
export const CONSOLE_PATH = "/app";
/** Where the page after a sign-in was. It redirects to the console, which shows the invites of the person. */
export const SIGNED_IN_PATH = "/console/auth/signed-in";
/** Where the page that connects accounts was. It redirects to the console's page of accounts. */
export const CONNECT_PAGE_PATH = "/oauth/connect";
/**
 * Where the API's own routes are. Opening one of them can start a login or use a link, so that no redirect is to them:
 * a page of the console changes nothing when it is opened.
 */
const API_PATHS = /^\/(?:oauth|platform|v1|webhooks|verify|console\/auth)(?:\/|$)/i;
/** Any origin: a path to another origin is refused. */
const ORIGIN = "https://console.invalid";

/**
 * The path to which a sign-in redirects, on the origin of the console: percent-encoded, with its query and fragment.
 * What is no path of the same site is `/`: another origin, a scheme, two leading slashes or backslashes, invisible
 * characters. So is a path of the API's own routes, except those that redirect to a page of the console.
 */
export function parseRedirectPath(text: string): string {
  if (!/^\/(?![/\\])/.test(text) || UNSAFE_CHARACTERS.test(text) || !URL.canParse(text, ORIGIN)) return "/";
  const { origin, pathname, search, hash } = new URL(text, ORIGIN);
  const path = pathname + search + hash;
  if (origin !== ORIGIN || path.startsWith("//") || path.length > PATH_CHARS_MAX || isApiPath(pathname)) return "/";
  return path;
}

/** Servers decode a path before they match it, some more than once, and some fold slashes. */
function isApiPath(pathname: string): boolean {
  if (pathname === SIGNED_IN_PATH || pathname === CONNECT_PAGE_PATH) return false;
  let plainPath = pathname;
  for (let previous = ""; plainPath !== previous; ) {
    previous = plainPath;
    plainPath = decodeOnce(plainPath);
  }
  const { pathname: resolved } = new URL(`${ORIGIN}/${plainPath.replace(/[?#]/g, encodeURIComponent)}`);
  return API_PATHS.test(resolved.replace(/\/{2,}/g, "/"));
}

function decodeOnce(path: string): string {
  return path.replace(/%[0-7][0-9a-f]/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}

/** Where the console and the API are. */
export interface Origins {
  readonly consoleOrigin: string;
  /** The public URL of the API. */
  readonly baseUrl: string;
}

/**
 * The path to which a sign-in redirects that names none: the console, or the first page of a console on another host.
 */
export function firstPath(origins: Origins): string {
  return isConsoleElsewhere(origins) ? "/" : CONSOLE_PATH;
}

/**
 * The URL to which a sign-in redirects: a path on the console's origin. A console on another host than the API has its
 * own first page instead of the API's path for the signed-in person.
 */
export function signedInUrl(path: string, origins: Origins): string {
  const isPageElsewhere = path === SIGNED_IN_PATH && isConsoleElsewhere(origins);
  return `${origins.consoleOrigin}${isPageElsewhere ? "/" : path}`;
}

/** The URL of the invites that wait for a person: the console asks about them before it continues. */
export function invitesUrl(origins: Origins): string {
  const path = firstPath(origins);
  return `${origins.consoleOrigin}${path === CONSOLE_PATH ? `${path}?invites=` : path}`;
}

/** Whether the console is on another host than the API. It has pages of its own there. */
export function isConsoleElsewhere({ consoleOrigin, baseUrl }: Origins): boolean {
  return consoleOrigin !== new URL(baseUrl).origin;
}
