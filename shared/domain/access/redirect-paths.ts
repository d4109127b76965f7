/** A stored login token stays below 1 KB with a path of this length. */
const PATH_CHARS_MAX = 300;
const UNSAFE_CHARACTERS = /\p{C}/u;
/** The page of the API's host that says who is signed in. It stands where no console is deployed. */
export const SIGNED_IN_PATH = "/console/auth/signed-in";
/** Any origin: a path that leads away from it is refused. */
const ORIGIN = "https://console.invalid";

/**
 * The path to which a sign-in leads, on the origin of the console: percent-encoded, with its query and fragment. What is
 * no path of the same site is `/`: another origin, a scheme, two leading slashes or backslashes, invisible characters.
 */
export function parseRedirectPath(text: string): string {
  if (!/^\/(?![/\\])/.test(text) || UNSAFE_CHARACTERS.test(text) || !URL.canParse(text, ORIGIN)) return "/";
  const { origin, pathname, search, hash } = new URL(text, ORIGIN);
  const path = pathname + search + hash;
  return origin === ORIGIN && !path.startsWith("//") && path.length <= PATH_CHARS_MAX ? path : "/";
}

/**
 * The URL to which a sign-in leads: a path on the console's origin. A console on another host than the API has its own
 * first page instead of the API's page for the signed-in person.
 */
export function signedInUrl(
  path: string,
  { consoleOrigin, baseUrl }: { readonly consoleOrigin: string; readonly baseUrl: string },
): string {
  const isPageElsewhere = path === SIGNED_IN_PATH && consoleOrigin !== new URL(baseUrl).origin;
  return `${consoleOrigin}${isPageElsewhere ? "/" : path}`;
}
