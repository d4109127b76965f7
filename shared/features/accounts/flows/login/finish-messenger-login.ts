import { PAGE_CHOICE_LIFETIME } from "#base/kernel/limits.ts";
import type { Refusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { loginFailed, loginNotSet } from "./login-failures.ts";
import type { MessengerLoginPorts } from "./ports.ts";
import { callbackUrl } from "./use-login.ts";

/** A login whose state is used. */
interface Login {
  readonly tenant: TenantId;
  readonly userId: string;
  readonly code: string;
  readonly now: Millis;
}

/** Exchanges the code of a login at Facebook. The person then chooses among their pages, for ten minutes. */
export async function finishMessengerLogin(
  ports: MessengerLoginPorts,
  { tenant, userId, code, now }: Login,
): Promise<null | Refusal<"oauth_failed">> {
  const facebook = await ports.logins.facebook();
  if (!facebook) return loginNotSet("parley:metaAppId", "meta");
  const login = await facebook.logIn(code, callbackUrl(ports, "messenger"));
  if (login.kind !== "logged_in") return loginFailed(login);
  const sealedToken = await ports.vault.seal(login.token, { purpose: "login-choice", tenant, owner: userId });
  const expiresAt = Math.min(now + PAGE_CHOICE_LIFETIME, login.expiresAt);
  await ports.pageChoices.save(tenant, userId, { sealedToken, authorizedBy: login.userIds, expiresAt });
  return null;
}
