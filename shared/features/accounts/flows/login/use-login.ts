import { randomToken, sameBytes, sha256Hex } from "#base/kernel/bytes.ts";
import { newOp } from "#base/kernel/ids.ts";
import type { KeyRing } from "#base/kernel/key-ring.ts";
import { PLATFORM_LOGIN_LIFETIME } from "#base/kernel/limits.ts";
import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import { openText, sealText } from "#base/kernel/text/sealed-text.ts";
import { withoutEndSlashes, withoutFragment } from "#base/kernel/text/urls.ts";
import type { Millis } from "#base/kernel/time.ts";
import { refuseRole, refuseTenant, type SessionCaller } from "#features/access/rules/callers.ts";
import type { Account, PlatformName } from "../../rules/accounts.ts";
import type { ConnectReason } from "../connect.ts";
import { loginFailed, loginNotSet } from "./login-failures.ts";
import type { InstagramLoginPorts, LoginConnection, LoginStatePorts, StartLoginPorts, UseLoginPorts } from "./ports.ts";

/** What a login of a platform belongs to. The platform returns it, sealed, with its answer. */
export interface LoginState {
  readonly tenant: TenantId;
  readonly userId: string;
  /** The person's browser has it as a cookie. */
  readonly nonce: string;
  /** The path on the console's origin to which the login redirects. */
  readonly redirect: string;
  readonly expiresAt: Millis;
}

/** A cookie of the browser that started a login. Several logins at the same time have several. */
export interface LoginCookie {
  readonly name: string;
  readonly value: string;
}

const NONCE_BYTES = 16;
const STATE_CHARS_MAX = 2_000;

export function newLoginState(login: Omit<LoginState, "nonce" | "expiresAt">, now: Millis): LoginState {
  const nonce = randomToken(NONCE_BYTES).toString("base64url");
  return { ...login, nonce, expiresAt: now + PLATFORM_LOGIN_LIFETIME };
}

export function loginCookie({ nonce }: Pick<LoginState, "nonce">): LoginCookie {
  return { name: `parley_login_${sha256Hex(nonce).slice(0, 8)}`, value: nonce };
}

/** Whether the browser is the one that started the login. @param value of its cookie */
export function isLoginCookie({ nonce }: Pick<LoginState, "nonce">, value: string): boolean {
  return sameBytes(value, nonce);
}

/** The id under which a state is stored once it is used. */
export function loginStateId({ nonce }: Pick<LoginState, "nonce">): string {
  return sha256Hex(nonce);
}

/** Seals a state for one platform, as text for a URL. */
export function sealLoginState(ring: KeyRing, platform: PlatformName, state: LoginState): string {
  const { tenant, userId, nonce, redirect, expiresAt } = state;
  const text = JSON.stringify([tenant, userId, nonce, redirect, expiresAt]);
  return Buffer.from(sealText(ring, sealContext(platform), text, issuedAt(text))).toString("base64url");
}

/** @returns null for a text that this deployment did not seal for this platform. It may have expired */
export function openLoginState(ring: KeyRing, platform: PlatformName, text: string): LoginState | null {
  if (text.length > STATE_CHARS_MAX || !/^[\w-]+$/.test(text)) return null;
  const sealed = Buffer.from(text, "base64url");
  const opened = sealed.toString("base64url") === text ? openText(ring, sealContext(platform), sealed, issuedAt) : null;
  if (opened === null) return null;
  const [slug, userId, nonce, redirect, expiresAt] = JSON.parse(opened) as [string, string, string, string, Millis];
  const tenant = parseTenant(slug);
  return tenant && { tenant, userId, nonce, redirect, expiresAt };
}

/** When the state of a sealed text was issued: its end says so, and no other time can lengthen its life. */
function issuedAt(text: string): Millis {
  return (JSON.parse(text) as [string, string, string, string, Millis])[4] - PLATFORM_LOGIN_LIFETIME;
}

function sealContext(platform: PlatformName): string {
  return `login state 1 ${platform}`;
}

/** A login that a person starts. */
interface NewLogin {
  readonly platform: PlatformName;
  readonly tenant: TenantId;
  readonly userId: string;
  /** The path on the console's origin to which it is to redirect. */
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
 * Opens the state of a login and uses it: of several calls, one gets it. State, cookie and session must name one
 * person, who must still be at least an admin.
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

/** A login whose state is used. */
type Login = Pick<LoginConnection, "tenant" | "author" | "time"> & { readonly code: string };

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
    pictureUrl: login.pictureUrl,
  });
}
