import { withoutEndSlashes } from "#base/kernel/text/urls.ts";

/** The page of the API's host on which a person connects accounts. It stands unless a console on another host is set. */
export const CONNECT_PAGE_PATH = "/oauth/connect";

/** What a login of a platform comes to, as the console learns it: one of the parameters of its URL. */
export type LoginResult =
  /** The key of the account. */
  | { readonly connected: string }
  /** The person chooses among their pages. */
  | { readonly choose: "messenger" }
  /** The code of an error. */
  | { readonly error: string };

/**
 * The URL to which a login leads.
 * @param redirect a path on the console's origin, as `parseRedirectPath` returns it. The first page of a console that is
 *   on no other host is the API's own page
 */
export function loginResultUrl(
  redirect: string,
  result: LoginResult,
  { consoleOrigin, baseUrl }: { readonly consoleOrigin: string; readonly baseUrl: string },
): string {
  const base = withoutEndSlashes(baseUrl);
  const isOwnPage = redirect === "/" && consoleOrigin === new URL(base).origin;
  const url = new URL(isOwnPage ? `${base}${CONNECT_PAGE_PATH}` : `${consoleOrigin}${redirect}`);
  // Those of an earlier login.
  for (const name of ["connected", "choose", "error"]) url.searchParams.delete(name);
  for (const [name, value] of Object.entries(result)) url.searchParams.set(name, value);
  return url.href;
}
