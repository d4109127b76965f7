import { createHmac } from "node:crypto";

/** A signed request as the platforms send it. @param payload an object, or the text or bytes in its place */
export function signedRequest(payload: object | string | Uint8Array, secret: string): string {
  const isRaw = typeof payload === "string" || payload instanceof Uint8Array;
  const body = Buffer.from(isRaw ? (payload as string) : JSON.stringify(payload)).toString("base64url");
  return `${createHmac("sha256", secret).update(body).digest("base64url")}.${body}`;
}
