import { randomToken } from "#base/kernel/bytes.ts";
import type { RotateVerifyTokenPorts } from "./ports.ts";

const VERIFY_TOKEN_BYTES = 30;

/**
 * Makes a new verify token, and leaves the app secrets as they are. The platforms use it only when a callback URL is
 * saved, so that the one before it is not needed any more.
 * @returns the token; null when another command changed the secret at the same time
 */
export async function rotateVerifyToken({ platformSecret }: RotateVerifyTokenPorts): Promise<string | null> {
  const version = await platformSecret.current();
  const verifyToken = randomToken(VERIFY_TOKEN_BYTES).toString("base64url");
  const secrets = { ...JSON.parse(version.text), verify_token: verifyToken };
  return (await platformSecret.replace(version, JSON.stringify(secrets))) ? verifyToken : null;
}
