import { createHmac } from "node:crypto";

/**
 * The headers of a delivery, as docs/guides/webhooks.md defines them.
 * @param secrets the primary first, then the one still valid after a rotation
 * @param now milliseconds since the epoch
 */
export function signWebhook(secrets: readonly string[], eventId: string, body: string, now: number) {
  const timestamp = String(Math.floor(now / 1_000));
  const sign = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text);
  return {
    "svc-signature": secrets.map((secret) => `v1=${sign(secret, `${timestamp}.${body}`).digest("hex")}`).join(","),
    "svc-timestamp": timestamp,
    "webhook-id": eventId,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets
      .map((secret) => {
        const key = Buffer.from(secret.replace("whs_", ""), "base64");
        return `v1,${sign(key, `${eventId}.${timestamp}.${body}`).digest("base64")}`;
      })
      .join(" "),
  };
}
