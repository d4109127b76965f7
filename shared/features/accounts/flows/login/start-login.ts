import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { withoutEndSlashes } from "#base/kernel/text/urls.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { PlatformName } from "../../rules/accounts.ts";
import { type LoginCookie, loginCookie, newLoginState, sealLoginState } from "./login-state.ts";
import type { StartLoginPorts } from "./ports.ts";

/** A login that a person starts. */
interface NewLogin {
  readonly platform: PlatformName;
  readonly tenant: TenantId;
  readonly userId: string;
  /** The path on the console's origin to which it is to lead. */
  readonly redirect: string;
  readonly now: Millis;
}

const settings = { instagram: "parley:instagramAppId", messenger: "parley:metaAppId" } as const;

/** The platform's page on which the person logs in, and the cookie for their browser. Nothing is stored. */
export async function startLogin(
  ports: StartLoginPorts,
  { platform, tenant, userId, redirect, now }: NewLogin,
): Promise<{ readonly url: string; readonly cookie: LoginCookie } | Refusal<"oauth_failed">> {
  const dialog = ports.loginDialogs[platform];
  if (!dialog) return refuse("oauth_failed", `${settings[platform]} is not set`);
  const state = newLoginState({ tenant, userId, redirect }, now);
  const sealed = sealLoginState(await ports.loginStateKeys(), platform, state);
  return { url: dialog.authorizeUrl(sealed, callbackUrl(ports, platform)), cookie: loginCookie(state) };
}

/** Where a platform sends the person with its answer. The operator registers it with the app. */
export function callbackUrl({ baseUrl }: Pick<StartLoginPorts, "baseUrl">, platform: PlatformName): string {
  return `${withoutEndSlashes(baseUrl)}/oauth/${platform}/callback`;
}
