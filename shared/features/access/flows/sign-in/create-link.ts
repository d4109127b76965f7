import { sha256Hex } from "#base/kernel/bytes.ts";
import { SIGN_IN_LINK_LIFETIME } from "#base/kernel/limits.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Language } from "#base/languages/languages.ts";
import { parseRedirectPath } from "../../rules/redirect-paths.ts";
import { openInviteLink } from "../team/invite-link.ts";
import { newLoginToken, sealLogin } from "./login-link.ts";
import type { SignInRequestPorts } from "./ports.ts";

/** A link to create. */
export interface NewLink {
  /** In its normal form. */
  readonly address: string;
  /** Where the sign-in is to redirect: any text. */
  readonly redirect: string;
  readonly now: Millis;
  /** The secret of the browser that requests it, which uses it at once. Default: every browser asks first. */
  readonly browser?: string | null;
  /** The language of that browser, for the mail. Default: none. */
  readonly language?: Language | null;
  /** What the link of the mail that the request came from says of its invite: any text. Default: none. */
  readonly invite?: string | null;
}

/**
 * Stores a link that signs an address in, whether or not the address may sign in.
 * @returns `loginId`: the id under which it is stored; `token`: its secret
 */
export async function createSignInLink(
  { loginKeys, loginTokens }: Pick<SignInRequestPorts, "loginKeys" | "loginTokens">,
  { address, redirect, now, browser = null, language = null, invite = null }: NewLink,
): Promise<{ readonly loginId: string; readonly token: string }> {
  const keys = await loginKeys();
  const token = newLoginToken();
  const loginId = sha256Hex(token);
  await loginTokens.create(loginId, {
    ...sealLogin(keys, loginId, { address, token, now }),
    redirect: parseRedirectPath(redirect),
    browserHash: browser && sha256Hex(browser),
    language,
    inviteId: invite && openInviteLink(keys, invite),
    expiresAt: now + SIGN_IN_LINK_LIFETIME,
  });
  return { loginId, token };
}
