// The pages of the API's host. They stand where no console is deployed.

export const SIGN_IN_PAGE = "/console/auth/sign-in";
/** Parley redirects to a console on another host instead, where there is one. */
export const SIGNED_IN_PAGE = "/console/auth/signed-in";
export const CONNECT_PAGE = "/oauth/connect";

/** The sign-in page that leads back to a page. @param invite the id of the invite that the sign-in accepts */
export function signInPage(redirect: string, invite: string | null = null): string {
  const query = new URLSearchParams({
    ...(redirect === SIGNED_IN_PAGE ? {} : { redirect }),
    ...(invite === null ? {} : { invite }),
  }).toString();
  return query === "" ? SIGN_IN_PAGE : `${SIGN_IN_PAGE}?${query}`;
}

/** The page to which a sign-in leads: the one that a link names if it is a page of this host, else the usual one. */
export function redirectPage(redirect: string | null): string {
  const url = URL.parse(redirect ?? "", location.origin);
  const isConnectPage = url?.origin === location.origin && url.pathname === CONNECT_PAGE;
  return isConnectPage ? url.pathname + url.search : SIGNED_IN_PAGE;
}
