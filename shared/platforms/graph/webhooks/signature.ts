import { hmacSha256, sameBytes, sha256 } from "#base/kernel/bytes.ts";

const CHALLENGE_CHARS_MAX = 1_024;

/**
 * Whether a webhook is signed with one of the app secrets.
 * @param rawBody the received bytes; a parsed and re-serialized body has another signature
 * @param header the value of `X-Hub-Signature-256`, `sha256=<64 hex digits>`; any other format is refused
 * @param secrets the Instagram app and the Meta app sign with different secrets
 */
export function verifySignature(rawBody: Uint8Array, header: string | undefined, secrets: readonly string[]): boolean {
  const hex = /^sha256=([0-9a-f]{64})$/i.exec(header ?? "")?.[1];
  if (hex === undefined) return false;
  const signature = Buffer.from(hex, "hex");
  let matches = false;
  // Tries every secret, so that the duration does not reveal which one matched. An empty secret never matches.
  for (const secret of secrets) {
    if (secret !== "" && sameBytes(signature, hmacSha256(secret, rawBody))) matches = true;
  }
  return matches;
}

/**
 * Verifies the platform's handshake for a callback URL.
 * @param query the values of `hub.mode`, `hub.verify_token` and `hub.challenge`
 * @returns the challenge to return as plain text; null when the request must be refused
 */
export function verifyHandshake(
  query: { mode?: string; token?: string; challenge?: string },
  verifyToken: string,
): string | null {
  const { mode, token, challenge } = query;
  if (mode !== "subscribe" || token === undefined || challenge === undefined || verifyToken === "") return null;
  if (challenge.length === 0 || challenge.length > CHALLENGE_CHARS_MAX) return null;
  // Compares digests, so that the duration does not reveal the token's length.
  return sameBytes(sha256(token), sha256(verifyToken)) ? challenge : null;
}
