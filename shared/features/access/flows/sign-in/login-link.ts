import { randomToken, sha256Hex } from "#base/kernel/bytes.ts";
import type { KeyRing } from "#base/kernel/key-ring.ts";
import { openText, sealText } from "#base/kernel/text/sealed-text.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { LoginToken } from "../../store/login-tokens.ts";

const TOKEN_BYTES = 32;

/** The token of a sign-in link: 32 random bytes in base64url. */
export function newLoginToken(): string {
  return randomToken(TOKEN_BYTES).toString("base64url");
}

/** The id under which a link is stored: the hash of its token. Null when the text has not the form of a token. */
export function toLoginId(token: string): string | null {
  const bytes = Buffer.from(token, "base64url");
  const isCanonical = bytes.byteLength === TOKEN_BYTES && bytes.toString("base64url") === token;
  return isCanonical ? sha256Hex(token) : null;
}

/** Seals what only the mail worker and the sign-in itself may read. Neither opens in the row of another link. */
export function sealLogin(
  ring: KeyRing,
  loginId: string,
  { address, token, now }: { readonly address: string; readonly token: string; readonly now: Millis },
): Pick<LoginToken, "sealedAddress" | "sealedToken"> {
  return {
    sealedAddress: sealText(ring, `address ${loginId}`, address, now),
    sealedToken: sealText(ring, `token ${loginId}`, token, now),
  };
}

/** The address that a link was requested for. Null when its key is no longer known. */
export function openLoginAddress(ring: KeyRing, loginId: string, { sealedAddress }: LoginToken): string | null {
  return openText(ring, `address ${loginId}`, sealedAddress);
}

/** The token of a link, for its mail. Null when its key is no longer known. */
export function openLoginToken(ring: KeyRing, loginId: string, { sealedToken }: LoginToken): string | null {
  return openText(ring, `token ${loginId}`, sealedToken);
}
