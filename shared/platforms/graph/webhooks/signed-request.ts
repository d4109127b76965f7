import { hmacSha256, sameBytes } from "#base/kernel/bytes.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import { asObject, parseJson, readId } from "../json.ts";

/** A signed request is about 200 characters long. */
const CHARS_MAX = 4_096;
const ALGORITHM = "HMAC-SHA256";

/** A request that a platform made about a person, as both platforms sign it. */
export type SignedRequest =
  | {
      readonly kind: "signed";
      readonly userId: string;
      /** The end of the second in which the platform issued it. Null when it does not say. */
      readonly issuedAt: Millis | null;
    }
  /** No signature of these secrets. */
  | { readonly kind: "wrong_signature" }
  | { readonly kind: "malformed" };

/**
 * Reads a signed request: `<signature>.<payload>`, both in base64url without padding. The signature is the HMAC-SHA256
 * of the payload's text. The payload is JSON with `algorithm`, `user_id` and, if the platform says so, `issued_at` in
 * seconds; it is read only if the signature is right.
 * Source: the documentation of the data deletion callback.
 * @param secrets of both apps, each with the one before it while it changes
 */
export function parseSignedRequest(text: string, secrets: readonly string[]): SignedRequest {
  const [signatureText = "", payloadText = "", ...others] = text.length > CHARS_MAX ? [] : text.split(".");
  const [signature, payload] = [fromBase64url(signatureText), fromBase64url(payloadText)];
  if (others.length > 0 || !signature || !payload) return { kind: "malformed" };
  if (!isSignedWith(secrets, signature, payloadText)) return { kind: "wrong_signature" };
  const { algorithm, user_id, issued_at } = asObject(parseJson(payload)) ?? {};
  const userId = readId(user_id);
  const issuedAt = issued_at === undefined ? null : readSecond(issued_at);
  if (algorithm !== ALGORITHM || !userId || issuedAt === undefined) return { kind: "malformed" };
  return { kind: "signed", userId, issuedAt };
}

/** @returns the last millisecond of a second; undefined when the value is none. */
function readSecond(value: unknown): Millis | undefined {
  const isSecond = typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
  return isSecond ? value * SECOND + SECOND - 1 : undefined;
}

/** Tries every secret, so that the duration does not reveal which one matched. An empty secret never matches. */
function isSignedWith(secrets: readonly string[], signature: Uint8Array, text: string): boolean {
  const matches = secrets.map((secret) => secret !== "" && sameBytes(signature, hmacSha256(secret, text)));
  return matches.includes(true);
}

/** @returns null for an empty text, and for one that is not exactly how these bytes are written */
function fromBase64url(text: string): Buffer | null {
  const bytes = Buffer.from(text, "base64url");
  return text !== "" && bytes.toString("base64url") === text ? bytes : null;
}
