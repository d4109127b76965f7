// The pages of the API's host.

export const SIGN_IN_PAGE = "/console/auth/sign-in";
/** The console. A sign-in that names no page redirects to it, or to the console on another host, where there is one. */
export const CONSOLE = "/app";
export const CONNECT_PAGE = "/oauth/connect";

/**
 * The sign-in page that redirects back to a page.
 * @param redirect null: to the console
 * @param invite the id of the invite that the sign-in accepts
 */
export function signInPage(redirect: string | null, invite: string | null = null): string {
  const query = new URLSearchParams({
    ...(redirect === null ? {} : { redirect }),
    ...(invite === null ? {} : { invite }),
  }).toString();
  return query === "" ? SIGN_IN_PAGE : `${SIGN_IN_PAGE}?${query}`;
}

/**
 * The page to which a sign-in redirects: the one that a link names if it is the page that connects accounts, or one of
 * the console. Null for any other.
 */
export function redirectPage(redirect: string | null): string | null {
  const url = URL.parse(redirect ?? "", location.origin);
  if (url?.origin !== location.origin) return null;
  const { pathname, search, hash } = url;
  if (pathname === CONNECT_PAGE) return pathname + search;
  return pathname === CONSOLE || pathname.startsWith(`${CONSOLE}/`) ? pathname + search + hash : null;
}
