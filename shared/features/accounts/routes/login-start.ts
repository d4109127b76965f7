import * as z from "zod/mini";
import { PLATFORM_LOGIN_LIFETIME } from "#base/kernel/limits.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { SessionCaller } from "#features/access/rules/callers.ts";
import { parseRedirectPath } from "#features/access/rules/redirect-paths.ts";
import { HttpResponse } from "#http/http-response.ts";
import { once } from "#http/lazy-schemas.ts";
import { startLogin } from "../flows/login/use-login.ts";
import type { PlatformName } from "../rules/accounts.ts";
import { type ConnectRoutePorts, connectEndpoint as endpoint } from "./endpoint.ts";
import { loginLocation, toLoginCookie } from "./login.ts";
import { startPage } from "./start-page.ts";

const tag = "Connecting accounts";

const query = once(() => z.object({ redirect: z.optional(z.string()) }));
const cookie = { "set-cookie": "Binds the login to this browser." } as const;

/** A login that a person starts. */
interface Start {
  readonly platform: PlatformName;
  readonly tenant: TenantId;
  readonly caller: SessionCaller;
  readonly query: z.infer<ReturnType<typeof query>>;
  readonly now: Millis;
}

/** The platform's URL. The browser gets the cookie of the login. */
async function start(
  ports: ConnectRoutePorts,
  { platform, tenant, caller, query, now }: Start,
  setCookies: (cookies: readonly string[]) => void,
) {
  const redirect = parseRedirectPath(query.redirect ?? "/");
  const login = await startLogin(ports, { platform, tenant, userId: caller.userId, redirect, now });
  if (isRefusal(login)) return login;
  setCookies([toLoginCookie(ports, login.cookie, PLATFORM_LOGIN_LIFETIME)]);
  return { url: login.url };
}

function startEndpoints(platform: PlatformName, name: "Instagram" | "Facebook") {
  const route = {
    path: `/oauth/${platform}/start`,
    role: "admin",
    tenant: "query",
    tag,
    query,
    refusals: ["oauth_failed"],
  } as const;
  const id = platform === "instagram" ? "Instagram" : "Messenger";
  return [
    endpoint.session({
      ...route,
      operation: `start${id}Login`,
      method: "GET",
      summary: `Start a login of ${name}`,
      envelope: false,
      changes: true,
      status: 302,
      answers: {
        200: {
          description: "The page that asks before the login starts. Nothing was changed.",
          types: ["text/html"],
          headers: { "content-security-policy": "What the page may load: files of its own origin." },
        },
        204: { description: "No login was started: the request is a HEAD request or a prefetch." },
        302: {
          description: "To the platform, or to the console with `error`.",
          headers: {
            location: "The platform's login, or a path of the console with `error` in its query.",
            ...cookie,
          },
        },
      },
      browserLocation: async (outcome, { request, ports }) => {
        const query = new URLSearchParams(request.query);
        const redirect = parseRedirectPath(query.get("redirect") ?? "/");
        return loginLocation(ports, { redirect, tenant: parseTenant(query.get("tenant") ?? "") }, outcome);
      },
      confirm: ({ tenant, caller, query, request, ports }) => {
        const redirect = parseRedirectPath(query.redirect ?? "/");
        return startPage(ports, { name, tenant, caller, redirect }, request.headers);
      },
      handle: async ({ tenant, caller, query, now, ports, setCookies }) => {
        const login = await start(ports, { platform, tenant, caller, query, now }, setCookies);
        if (isRefusal(login)) return login;
        const headers = { location: login.url, "referrer-policy": "no-referrer" };
        return new HttpResponse(null, { status: 302, headers });
      },
    }),
    endpoint.session({
      ...route,
      operation: `create${id}Login`,
      method: "POST",
      summary: `Start a login of ${name} by a script`,
      answers: { 200: { headers: cookie } },
      data: () => z.object({ url: z.string() }),
      handle: ({ tenant, caller, query, now, ports, setCookies }) =>
        start(ports, { platform, tenant, caller, query, now }, setCookies),
    }),
  ] as const;
}

/** The routes that start a login: by a link, and by a script. */
export const loginStartRoutes = [
  ...startEndpoints("instagram", "Instagram"),
  ...startEndpoints("messenger", "Facebook"),
] as const;
