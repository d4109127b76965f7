import { newOp } from "#base/kernel/ids.ts";
import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import { withoutFragment } from "#base/kernel/text/urls.ts";
import type { Millis } from "#base/kernel/time.ts";
import { refuseRole, refuseTenant, type SessionCaller } from "#features/access/rules/callers.ts";
import type { PlatformName } from "../../rules/accounts.ts";
import { isLoginCookie, type LoginState, loginCookie, loginStateId, openLoginState } from "./login-state.ts";
import type { LoginStatePorts, UseLoginPorts } from "./ports.ts";

/** A browser that comes back from a platform. */
export interface LoginReturn {
  readonly platform: PlatformName;
  /** As the platform returned it: any text. Null for none. */
  readonly state: string | null;
  readonly caller: SessionCaller;
  /** The value of a cookie of the browser; null for none. */
  readonly cookie: (name: string) => string | null;
  readonly now: Millis;
}

/**
 * Opens the state of a login and uses it: of several calls, one gets it. State, cookie and session must name one person,
 * who must still be at least an admin.
 */
export async function useLogin(
  ports: UseLoginPorts,
  { platform, state: text, caller, cookie, now }: LoginReturn,
): Promise<LoginState | Refusal<"oauth_state_invalid" | "tenant_forbidden" | "tenant_suspended" | "role_forbidden">> {
  const state = await readLoginState(ports, platform, text);
  if (!state || now >= state.expiresAt || state.userId !== caller.userId) return refuse("oauth_state_invalid");
  if (!isLoginCookie(state, cookie(loginCookie(state).name) ?? "")) return refuse("oauth_state_invalid");
  const { tenant } = state;
  const refusal = refuseTenant(caller, tenant, "tenant_forbidden") ?? refuseRole(caller, tenant, "admin");
  if (refusal) return refusal;
  const isFirst = await ports.loginStates.use(loginStateId(state), { op: newOp(now), now });
  return isFirst ? state : refuse("oauth_state_invalid");
}

/** The state that a platform returned, also one that has expired or is another person's. Null for any other text. */
export async function readLoginState(
  ports: LoginStatePorts,
  platform: PlatformName,
  text: string | null,
): Promise<LoginState | null> {
  return text === null ? null : openLoginState(await ports.loginStateKeys(), platform, withoutFragment(text));
}
