import * as z from "zod/mini";
import { parseRedirectPath } from "../../../shared/domain/access/redirect-paths.ts";
import type { PlatformName } from "../../../shared/domain/accounts/accounts.ts";
import { loginResultUrl } from "../../../shared/domain/accounts/login-results.ts";
import { PLATFORM_LOGIN_LIFETIME } from "../../../shared/domain/limits.ts";
import { startLogin } from "../../../shared/flows/accounts/login/start-login.ts";
import { isRefusal } from "../../../shared/kernel/refusals.ts";
import { pathCookie } from "../../http/cookies.ts";
import type { LocationContext, Outcome } from "../../http/endpoint.ts";
import { isCookieSecure } from "../access/sign-in/secure-cookies.ts";
import { type ConnectRoutePorts, endpoint } from "../connect-endpoint.ts";

const tag = "Connecting accounts";

function startEndpoint(operation: string, platform: PlatformName, name: string) {
  return endpoint.session({
    operation,
    method: "GET",
    path: `/oauth/${platform}/start`,
    role: "admin",
    tenant: "query",
    tag,
    summary: `Start a login of ${name} that connects accounts`,
    description:
      "Redirects to the platform, and sets a cookie for this login. The login ends within 10 minutes in the same browser, at a path of the console, `redirect`, with `connected`, `choose` or `error` in its query. A `redirect` that is no path leads to `/`. A browser gets a redirect with `error` instead of the error.",
    query: z.object({ redirect: z.optional(z.string()) }),
    refusals: ["oauth_failed"],
    envelope: false,
    status: 302,
    browserLocation: async (outcome, { request, ports }) => {
      const { redirect } = Object.fromEntries(new URLSearchParams(request.query));
      return resultLocation(parseRedirectPath(redirect ?? "/"), outcome, ports);
    },
    handle: async ({ tenant, caller, query, now, ports, setCookies }) => {
      const redirect = parseRedirectPath(query.redirect ?? "/");
      const login = await startLogin(ports, { platform, tenant, userId: caller.userId, redirect, now });
      if (isRefusal(login)) return login;
      setCookies([loginCookieText(ports, { ...login.cookie, maxAge: PLATFORM_LOGIN_LIFETIME })]);
      return new Response(null, {
        status: 302,
        headers: { location: login.url, "referrer-policy": "no-referrer" },
      });
    },
  });
}

export const startInstagramLogin = startEndpoint("startInstagramLogin", "instagram", "Instagram");
export const startMessengerLogin = startEndpoint("startMessengerLogin", "messenger", "Facebook");

/** Where a browser is led with the outcome of a request. */
function resultLocation(
  redirect: string,
  outcome: Outcome,
  ports: LocationContext<ConnectRoutePorts>["ports"],
): string {
  if (outcome.ok) throw new Error("A login that started leads to its platform.");
  return loginResultUrl(redirect, { error: outcome.error.code }, ports);
}

/** A cookie that a browser sends with the callback alone, and with other requests of connecting. */
function loginCookieText(
  { baseUrl }: Pick<ConnectRoutePorts, "baseUrl">,
  cookie: { readonly name: string; readonly value: string; readonly maxAge: number },
): string {
  const base = new URL(baseUrl).pathname.replace(/\/+$/, "");
  return pathCookie({ ...cookie, path: `${base}/oauth` }, isCookieSecure(baseUrl));
}
