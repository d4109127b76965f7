import { createHmac } from "node:crypto";

/** JSON as the platforms send it: every character beyond ASCII as `\uXXXX` in lowercase hex. */
export function wireJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Both signature headers over the exact bytes of a body. */
export function signatureHeaders(body: string, secret: string): Record<string, string> {
  const hmac = (algorithm: string): string => createHmac(algorithm, secret).update(body).digest("hex");
  return { "X-Hub-Signature": `sha1=${hmac("sha1")}`, "X-Hub-Signature-256": `sha256=${hmac("sha256")}` };
}
