import * as z from "zod/mini";
import type { output } from "zod/v4/core";
import { parseRedirectPath } from "../../../shared/domain/access/redirect-paths.ts";
import { accountKey, type PlatformName } from "../../../shared/domain/accounts/accounts.ts";
import { PLATFORM_LOGIN_LIFETIME } from "../../../shared/domain/limits.ts";
import type { ConnectReason } from "../../../shared/flows/accounts/link-account.ts";
import { finishInstagramLogin } from "../../../shared/flows/accounts/login/finish-instagram-login.ts";
import { finishMessengerLogin } from "../../../shared/flows/accounts/login/finish-messenger-login.ts";
import { loginRefused } from "../../../shared/flows/accounts/login/login-failures.ts";
import { loginCookie } from "../../../shared/flows/accounts/login/login-state.ts";
import type { LoginConnection } from "../../../shared/flows/accounts/login/ports.ts";
import { startLogin } from "../../../shared/flows/accounts/login/start-login.ts";
import { useLogin, withoutFragment } from "../../../shared/flows/accounts/login/use-login.ts";
import { isRefusal, type Refusal, refuse } from "../../../shared/kernel/refusals.ts";
import type { Millis } from "../../../shared/kernel/time.ts";
import { readCookie } from "../../http/cookies.ts";
import { type ConnectRoutePorts, endpoint } from "../connect-endpoint.ts";
import { loginLocation, loginRedirect, toLoginCookie } from "./login-browser.ts";

const tag = "Connecting accounts";

/** A response to a login that was used, with success or without. */
const used = { headers: { "set-cookie": "Removes the cookie of the login." } } as const;

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
    answers: {
      302: {
        description: "To the platform, or to the console with `error`",
        headers: {
          location: "The platform's login, or a path of the console with `error` in its query.",
          "set-cookie": "Binds the login to this browser.",
        },
      },
    },
    browserLocation: async (outcome, { request, ports }) => {
      const redirect = new URLSearchParams(request.query).get("redirect");
      return loginLocation(ports, parseRedirectPath(redirect ?? "/"), outcome);
    },
    handle: async ({ tenant, caller, query, now, ports, setCookies }) => {
      const redirect = parseRedirectPath(query.redirect ?? "/");
      const login = await startLogin(ports, { platform, tenant, userId: caller.userId, redirect, now });
      if (isRefusal(login)) return login;
      setCookies([toLoginCookie(ports, login.cookie, PLATFORM_LOGIN_LIFETIME)]);
      return new Response(null, {
        status: 302,
        headers: { location: login.url, "referrer-policy": "no-referrer" },
      });
    },
  });
}

export const startInstagramLogin = startEndpoint("startInstagramLogin", "instagram", "Instagram");
export const startMessengerLogin = startEndpoint("startMessengerLogin", "messenger", "Facebook");

/** A login that the platform granted. */
type GrantedLogin = Pick<LoginConnection, "tenant" | "caller" | "ip" | "time"> & {
  readonly code: string;
  readonly now: Millis;
};

function callbackEndpoint<D extends z.ZodMiniObject>(
  { operation, platform, name }: { readonly operation: string; readonly platform: PlatformName; name: string },
  data: D,
  finish: (ports: ConnectRoutePorts, login: GrantedLogin) => Promise<output<D> | Refusal<ConnectReason>>,
) {
  return endpoint.session({
    operation,
    method: "GET",
    path: `/oauth/${platform}/callback`,
    role: "admin",
    tenant: "resource",
    tag,
    summary: `Finish a login of ${name}`,
    description:
      "The platform redirects the browser here. A browser is redirected to the console, with the data or the code of the error in the query. A caller whose Accept header does not name `text/html` gets the envelope. A login works once, in the browser and the session that started it.",
    query: z.object({
      code: z.optional(z.string()),
      state: z.optional(z.string()),
      error: z.optional(z.string()),
    }),
    repeatedParameters: "as_empty",
    refusals: [
      "oauth_state_invalid",
      "oauth_denied",
      "oauth_failed",
      "account_in_use",
      "account_limit",
      "tenant_forbidden",
    ],
    answers: { 200: used, 302: used, 400: used, 403: used, 409: used, 502: used },
    data,
    browserLocation: async (outcome, { request, ports }) => {
      const state = new URLSearchParams(request.query).get("state");
      return loginLocation(ports, await loginRedirect(ports, platform, state), outcome);
    },
    handle: async ({ caller, query, request, now, time, ports, setCookies }) => {
      const { code = "", state = null, error = "" } = query;
      // A HEAD request must not use the login.
      if (request.method !== "GET" || (code === "" && error === "")) return refuse("oauth_state_invalid");
      const cookie = (cookieName: string) => toValue(readCookie(request.headers.get("cookie"), cookieName));
      const login = await useLogin(ports, { platform, state, caller, cookie, now });
      if (isRefusal(login)) return login;
      setCookies([toLoginCookie(ports, { ...loginCookie(login), value: "" }, 0)]);
      if (error !== "") return loginRefused(error);
      const { tenant } = login;
      return await finish(ports, { tenant, code: withoutFragment(code), caller, ip: request.sourceIp, now, time });
    },
  });
}

export const finishInstagram = callbackEndpoint(
  { operation: "finishInstagramLogin", platform: "instagram", name: "Instagram" },
  z.object({ connected: z.string() }),
  async (ports, login) => {
    const account = await finishInstagramLogin(ports, login);
    return isRefusal(account) ? account : { connected: accountKey(account) };
  },
);

export const finishMessenger = callbackEndpoint(
  { operation: "finishMessengerLogin", platform: "messenger", name: "Facebook" },
  z.object({ choose: z.literal("messenger") }),
  async (ports, { tenant, caller, code, now }) => {
    const refusal = await finishMessengerLogin(ports, { tenant, userId: caller.userId, code, now });
    return refusal ?? { choose: "messenger" as const };
  },
);

function toValue(cookie: ReturnType<typeof readCookie>): string | null {
  return cookie === null || cookie === "invalid" ? null : cookie.value;
}
