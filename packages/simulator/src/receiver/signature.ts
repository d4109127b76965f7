import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/**
 * What a receiver finds out about a request: `verified`, `wrong` (it does not match the secret), `missing` (no header that
 * is known) or `unchecked` (the receiver has no secret).
 */
export type SignatureVerdict = "verified" | "wrong" | "missing" | "unchecked";

/**
 * Verifies a request over its exact bytes: the headers of Standard Webhooks (`webhook-signature`), whose key is the base64
 * behind the prefix of the secret, or else `X-Hub-Signature-256` of the platforms, whose key is the secret as text.
 * The age of a timestamp is not checked.
 */
export function verifySignature(headers: IncomingHttpHeaders, body: Buffer, secret: string | null): SignatureVerdict {
  if (secret === null) return "unchecked";
  const standard = text(headers["webhook-signature"]);
  if (standard !== null) {
    const prefix = `${text(headers["webhook-id"]) ?? ""}.${text(headers["webhook-timestamp"]) ?? ""}.`;
    const key = Buffer.from(secret.replace(/^[a-z]+_/, ""), "base64");
    const expected = `v1,${createHmac("sha256", key).update(prefix).update(body).digest("base64")}`;
    return verdict(standard.split(" "), expected);
  }
  const hub = text(headers["x-hub-signature-256"]);
  if (hub === null) return "missing";
  return verdict([hub], `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
}

function verdict(signatures: readonly string[], expected: string): SignatureVerdict {
  return signatures.some((signature) => isSameText(signature, expected)) ? "verified" : "wrong";
}

function isSameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

const text = (value: string | string[] | undefined): string | null => (typeof value === "string" ? value : null);
