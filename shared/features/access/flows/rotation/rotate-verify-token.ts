import { randomToken } from "#base/kernel/bytes.ts";
import type { Millis } from "#base/kernel/time.ts";
import { journaled } from "#features/recovery/journal.ts";
import type { RotateVerifyTokenPorts } from "./ports.ts";

const VERIFY_TOKEN_BYTES = 30;

/**
 * Makes a new verify token, and leaves the app secrets as they are. The platforms use it only when a callback URL is
 * saved, so that the one before it is not needed any more.
 * @returns the token; null when another command changed the secret at the same time
 */
export async function rotateVerifyToken(ports: RotateVerifyTokenPorts, now: Millis): Promise<string | null> {
  const version = await ports.platformSecret.current();
  const verifyToken = randomToken(VERIFY_TOKEN_BYTES).toString("base64url");
  const secrets = { ...JSON.parse(version.text), verify_token: verifyToken };
  const write = () => ports.platformSecret.replace(version, JSON.stringify(secrets));
  const entry = { act: { kind: "verify_token.rotate" }, at: now } as const;
  return (await journaled(ports, entry, write, (replaced) => !replaced)) ? verifyToken : null;
}
