import { randomToken, sameBytes, sha256Hex } from "#base/kernel/bytes.ts";
import type { KeyRing } from "#base/kernel/key-ring.ts";
import { PLATFORM_LOGIN_LIFETIME } from "#base/kernel/limits.ts";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import { openText, sealText } from "#base/kernel/text/sealed-text.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { PlatformName } from "../../rules/accounts.ts";

/** What a login of a platform belongs to. The platform returns it, sealed, with its answer. */
export interface LoginState {
  readonly tenant: TenantId;
  readonly userId: string;
  /** The person's browser has it as a cookie. */
  readonly nonce: string;
  /** The path on the console's origin to which the login leads. */
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
