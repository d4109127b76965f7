/** A stored login token stays below 1 KB with a path of this length. */
const PATH_CHARS_MAX = 300;
const UNSAFE_CHARACTERS = /\p{C}/u;
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
