import * as z from "zod/mini";
import type { output } from "zod/v4/core";
import { isRefusal, type Refusal, refuse } from "#base/kernel/refusals.ts";
import { withoutEndSlashes, withoutFragment } from "#base/kernel/text/urls.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Origins } from "#features/access/rules/redirect-paths.ts";
import { pathCookie, readCookie } from "#http/credentials/cookies.ts";
import { isCookieSecure } from "#http/credentials/secure-cookies.ts";
import type { Outcome } from "#http/endpoint.ts";
import type { ConnectReason } from "../flows/connect.ts";
import { finishMessengerLogin } from "../flows/login/finish-messenger-login.ts";
import { loginRefused } from "../flows/login/login-failures.ts";
import type { LoginConnection, LoginStatePorts } from "../flows/login/ports.ts";
import {
  finishInstagramLogin,
  type LoginCookie,
  loginCookie,
  readLoginState,
  useLogin,
} from "../flows/login/use-login.ts";
import { accountKey, type PlatformName } from "../rules/accounts.ts";
import { type LoginResult, type LoginStart, loginResultUrl } from "../rules/login-results.ts";
import { type ConnectRoutePorts, connectEndpoint as endpoint } from "./endpoint.ts";

/** Where a browser is redirected with the outcome of a login. The data of a success is its result. */
export function loginLocation(origins: Origins, start: LoginStart, outcome: Outcome): string {
  const result = outcome.ok ? (outcome.data as LoginResult) : { error: outcome.error.code };
  return loginResultUrl({ ...start, result }, origins);
}

/** What a login was started with: `/` and null when its state does not say, or cannot be read now. */
async function readLoginStart(
  ports: LoginStatePorts,
  platform: PlatformName,
  state: string | null,
): Promise<LoginStart> {
  const opened = await readLoginState(ports, platform, state).catch(() => null);
  return { redirect: opened?.redirect ?? "/", tenant: opened?.tenant ?? null };
}

/** A cookie that a browser sends to the routes of connecting alone. @param maxAge 0 removes it */
export function toLoginCookie({ baseUrl }: Pick<Origins, "baseUrl">, cookie: LoginCookie, maxAge: Millis): string {
  const base = withoutEndSlashes(new URL(baseUrl).pathname);
  return pathCookie({ ...cookie, path: `${base}/oauth`, maxAge }, isCookieSecure(baseUrl));
}

const tag = "Connecting accounts";

/** A response to a login that was used, with success or without. */
const used = { headers: { "set-cookie": "Removes the cookie of the login." } } as const;

const looked = { description: "The login was not used: the request is a HEAD request or a prefetch." } as const;

/** A login that the platform granted. */
type GrantedLogin = Pick<LoginConnection, "tenant" | "author" | "time"> & {
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
    query: () =>
      z.object({
        code: z.optional(z.string()),
        state: z.optional(z.string()),
        error: z.optional(z.string()),
      }),
    repeatedParameters: "as_empty",
    changes: true,
    proof: "The state that the person's own browser began with, once, and its cookie and session.",
    refusals: [
      "oauth_state_invalid",
      "oauth_denied",
      "oauth_failed",
      "account_in_use",
      "account_limit",
      "tenant_forbidden",
    ],
    answers: { 200: used, 204: looked, 302: used, 400: used, 403: used, 409: used, 502: used },
    data: () => data,
    browserLocation: async (outcome, { request, ports }) => {
      const state = new URLSearchParams(request.query).get("state");
      return loginLocation(ports, await readLoginStart(ports, platform, state), outcome);
    },
    handle: async ({ caller, author, query, request, now, time, ports, setCookies }) => {
      const { code = "", state = null, error = "" } = query;
      if (code === "" && error === "") return refuse("oauth_state_invalid");
      const cookie = (cookieName: string) => toValue(readCookie(request.headers.get("cookie"), cookieName));
      const login = await useLogin(ports, { platform, state, caller, cookie, now });
      if (isRefusal(login)) return login;
      setCookies([toLoginCookie(ports, { ...loginCookie(login), value: "" }, 0)]);
      if (error !== "") return loginRefused(error);
      const { tenant } = login;
      return await finish(ports, { tenant, code: withoutFragment(code), author, now, time });
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
  async (ports, { tenant, author, code, now }) => {
    const refusal = await finishMessengerLogin(ports, { tenant, userId: author.caller.userId, code, now });
    return refusal ?? { choose: "messenger" as const };
  },
);

function toValue(cookie: ReturnType<typeof readCookie>): string | null {
  return cookie === null || cookie === "invalid" ? null : cookie.value;
}
