import { withoutEndSlashes } from "#base/kernel/text/urls.ts";
import type { Millis } from "#base/kernel/time.ts";
import { pathCookie } from "#http/credentials/cookies.ts";
import { isCookieSecure } from "#http/credentials/secure-cookies.ts";
import type { Outcome } from "#http/endpoint.ts";
import type { LoginCookie } from "../flows/login/login-state.ts";
import type { LoginStatePorts } from "../flows/login/ports.ts";
import { readLoginState } from "../flows/login/use-login.ts";
import type { PlatformName } from "../rules/accounts.ts";
import { type LoginResult, loginResultUrl } from "../rules/login-results.ts";

interface OriginPorts {
  readonly consoleOrigin: string;
  /** The public URL of the API. */
  readonly baseUrl: string;
}

/** Where a browser is redirected with the outcome of a login. The data of a success is its result. */
export function loginLocation(ports: OriginPorts, redirect: string, outcome: Outcome): string {
  const result = outcome.ok ? (outcome.data as LoginResult) : { error: outcome.error.code };
  return loginResultUrl(redirect, result, ports);
}

/** The path that a login was started with. `/` when its state does not say, or cannot be read now. */
export async function loginRedirect(
  ports: LoginStatePorts,
  platform: PlatformName,
  state: string | null,
): Promise<string> {
  const opened = await readLoginState(ports, platform, state).catch(() => null);
  return opened?.redirect ?? "/";
}

/** A cookie that a browser sends to the routes of connecting alone. @param maxAge 0 removes it */
export function toLoginCookie({ baseUrl }: Pick<OriginPorts, "baseUrl">, cookie: LoginCookie, maxAge: Millis): string {
  const base = withoutEndSlashes(new URL(baseUrl).pathname);
  return pathCookie({ ...cookie, path: `${base}/oauth`, maxAge }, isCookieSecure(baseUrl));
}
