import type { S3Client } from "@aws-sdk/client-s3";
import type { Millis } from "../kernel/time.ts";

/**
 * Replaces the client's credentials if they expire before `until`: what they sign is refused from then on. Credentials
 * without a named expiry are not replaced.
 */
export async function refreshCredentials(client: S3Client, until: Millis): Promise<void> {
  const { expiration } = await client.config.credentials();
  if (expiration !== undefined && expiration.getTime() < until) await client.config.credentials({ forceRefresh: true });
}
