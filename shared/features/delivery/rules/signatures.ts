import { hmacSha256 } from "#base/kernel/bytes.ts";
import type { Millis } from "#base/kernel/time.ts";

/** The signature headers of one attempt. Every attempt is signed again, with each valid secret. */
export interface SignedHeaders {
  readonly "svc-signature": string;
  readonly "svc-timestamp": string;
  readonly "webhook-id": string;
  readonly "webhook-timestamp": string;
  readonly "webhook-signature": string;
}

/**
 * Signs a delivery in both formats.
 * - `Svc-Signature: v1=<hex>[,v1=<hex>]` over `<timestamp>.<body>`, keyed with the whole `whs_…` string.
 * - Standard Webhooks: `webhook-signature: v1,<base64>[ v1,<base64>]` over `<id>.<timestamp>.<body>`, keyed with the
 *   bytes behind the prefix.
 * @param secrets the primary first, then the one still valid after a rotation
 */
export function signWebhook(secrets: readonly string[], eventId: string, body: string, now: Millis): SignedHeaders {
  const timestamp = String(Math.floor(now / 1000));
  const svcSignatures = secrets.map((secret) => `v1=${hmacSha256(secret, `${timestamp}.${body}`).toString("hex")}`);
  const standardSignatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice("whs_".length), "base64");
    return `v1,${hmacSha256(key, `${eventId}.${timestamp}.${body}`).toString("base64")}`;
  });
  return {
    "svc-signature": svcSignatures.join(","),
    "svc-timestamp": timestamp,
    "webhook-id": eventId,
    "webhook-timestamp": timestamp,
    "webhook-signature": standardSignatures.join(" "),
  };
}
