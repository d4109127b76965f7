import { parseRedirectPath } from "../../../domain/access/redirect-paths.ts";
import { SIGN_IN_LINK_LIFETIME } from "../../../domain/limits.ts";
import { sha256Hex } from "../../../kernel/bytes.ts";
import type { Millis } from "../../../kernel/time.ts";
import { newLoginToken, sealLogin } from "./login-link.ts";
import type { SignInRequestPorts } from "./ports.ts";

/**
 * Stores a link that signs an address in, whether or not the address may sign in.
 * @param link `redirect`: where the sign-in is to lead: any text
 * @returns `loginId`: the id under which it is stored; `token`: its secret
 */
export async function createSignInLink(
  { loginKeys, loginTokens }: Pick<SignInRequestPorts, "loginKeys" | "loginTokens">,
  { address, redirect, now }: { readonly address: string; readonly redirect: string; readonly now: Millis },
): Promise<{ readonly loginId: string; readonly token: string }> {
  const keys = await loginKeys();
  const token = newLoginToken();
  const loginId = sha256Hex(token);
  await loginTokens.create(loginId, {
    ...sealLogin(keys, loginId, { address, token, now }),
    redirect: parseRedirectPath(redirect),
    expiresAt: now + SIGN_IN_LINK_LIFETIME,
  });
  return { loginId, token };
}
