import { hmacSha256, sameBytes, sha256 } from "../../kernel/bytes.ts";

const CHALLENGE_CHARS_MAX = 1_024;

/**
 * Whether a webhook's bytes were signed with one of the app's secrets.
 * @param rawBody the bytes as they came: a parsed and re-serialised body no longer matches
 * @param header the value of `X-Hub-Signature-256`, `sha256=<64 hex digits>`; anything else is false
 * @param secrets the Instagram app and the Meta app sign with different secrets, so any of them will do
 */
export function verifySignature(rawBody: Uint8Array, header: string | undefined, secrets: readonly string[]): boolean {
  const hex = /^sha256=([0-9a-f]{64})$/i.exec(header ?? "")?.[1];
  if (hex === undefined) return false;
  const signature = Buffer.from(hex, "hex");
  let matches = false;
  // Every secret is tried, so that the time taken does not tell which one matched. An unset secret is no secret.
  for (const secret of secrets) {
    if (secret !== "" && sameBytes(signature, hmacSha256(secret, rawBody))) matches = true;
  }
  return matches;
}

/**
 * The platform's check that a callback URL is ours.
 * @param query the values of `hub.mode`, `hub.verify_token` and `hub.challenge`
 * @returns the challenge, to be answered as plain text; null when the request is to be refused
 */
export function verifyHandshake(
  query: { mode?: string; token?: string; challenge?: string },
  verifyToken: string,
): string | null {
  const { mode, token, challenge } = query;
  if (mode !== "subscribe" || token === undefined || challenge === undefined || verifyToken === "") return null;
  if (challenge.length === 0 || challenge.length > CHALLENGE_CHARS_MAX) return null;
  // Digests have one length, so that not even the token's length shows in the time taken.
  return sameBytes(sha256(token), sha256(verifyToken)) ? challenge : null;
}
