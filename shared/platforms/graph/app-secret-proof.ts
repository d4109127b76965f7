import { hmacSha256 } from "#base/kernel/bytes.ts";

/**
 * The parameter by which a call to Facebook's host proves that it comes from the app.
 * @param appSecret the Meta app secret; null or empty gives no parameter
 */
export function appSecretProof(appSecret: string | null, token: string): Readonly<Record<string, string>> {
  return appSecret ? { appsecret_proof: hmacSha256(appSecret, token).toString("hex") } : {};
}
