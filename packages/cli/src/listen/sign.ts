import { createHmac } from "node:crypto";

/** The headers of both families, as Parley signs a delivery. @param timestamp unix seconds */
export function signedHeaders(
  secret: string,
  eventId: string,
  body: Buffer,
  timestamp: string,
): Record<string, string> {
  const hmac = (key: string | Buffer, prefix: string) => createHmac("sha256", key).update(prefix).update(body);
  const standardKey = Buffer.from(secret.slice("whs_".length), "base64");
  return {
    "svc-timestamp": timestamp,
    "svc-signature": `v1=${hmac(secret, `${timestamp}.`).digest("hex")}`,
    "webhook-id": eventId,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${hmac(standardKey, `${eventId}.${timestamp}.`).digest("base64")}`,
  };
}
