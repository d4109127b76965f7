import type { Refusal } from "#base/kernel/refusals.ts";
import type { Account } from "../../rules/accounts.ts";
import type { ConnectReason } from "../link-account.ts";
import { loginFailed, loginNotSet } from "./login-failures.ts";
import type { InstagramLoginPorts, LoginConnection } from "./ports.ts";
import { callbackUrl } from "./start-login.ts";

/** A login whose state is used. */
type Login = Pick<LoginConnection, "tenant" | "caller" | "ip" | "time"> & { readonly code: string };

/** Exchanges the code of a login at Instagram, and connects its account. */
export async function finishInstagramLogin(
  ports: InstagramLoginPorts,
  { code, ...connection }: Login,
): Promise<Account | Refusal<ConnectReason>> {
  const instagram = await ports.logins.instagram();
  if (!instagram) return loginNotSet("parley:instagramAppId", "instagram");
  const login = await instagram.logIn(code, callbackUrl(ports, "instagram"));
  if (login.kind !== "logged_in") return loginFailed(login);
  return await ports.connectAccount({
    ...connection,
    account: { platform: "instagram", connection: "instagram_login", pageId: null, ...login.account },
    token: login.token,
    tokenExpiresAt: login.expiresAt,
    authorizedBy: login.userIds,
  });
}
