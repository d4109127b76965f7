import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { requestOptions, requestTimeouts } from "../config/request-times.ts";
import { callScopePlugin } from "../kernel/call-scope.ts";
import { memoize } from "../kernel/memo.ts";
import { clockNow, MINUTE, type Millis } from "../kernel/time.ts";

/** A process uses a changed secret after this time at the latest. */
export const SECRET_CACHE_LIFETIME: Millis = 5 * MINUTE;
const APP_SECRETS_MAX = 2;

/** The app secrets, each with the one before it while it changes. Calls use the first, signatures may be made with both. */
export interface PlatformSecrets {
  readonly meta: readonly string[];
  readonly instagram: readonly string[];
  readonly verifyToken: string;
}

/**
 * Reads a cached secret. `isStale` reads it again at once, at most once a minute: for a caller to whom the cached value
 * did not answer.
 */
export type ReadSecret<T> = (isStale?: boolean) => Promise<T>;

/** Reads a secret and caches it for five minutes. A failed read is repeated at the next call. */
export function secretReader<T>(secretId: string, parse: (text: string) => T, client = secretsClient()): ReadSecret<T> {
  client.middlewareStack.use(callScopePlugin);
  const readSecret = async (SecretId: string) => {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId }));
    if (!SecretString) throw new Error("The secret is empty.");
    return parse(SecretString);
  };
  const ordinary = memoize(readSecret, String, SECRET_CACHE_LIFETIME);
  const again = memoize(readSecret, String, MINUTE);
  return async (isStale = false) => {
    const now = clockNow();
    const cached = await ordinary(secretId, now);
    // An outage of Secrets Manager refuses only what the cached value does not open.
    return isStale ? again(secretId, now).catch(() => cached) : cached;
  };
}

export function parsePlatformSecrets(text: string): PlatformSecrets {
  const { meta, instagram, verify_token } = JSON.parse(text) as Record<string, unknown>;
  return {
    meta: appSecrets(meta),
    instagram: appSecrets(instagram),
    verifyToken: typeof verify_token === "string" ? verify_token : "",
  };
}

/** One text, or a list of the current one and the one before it. What is not a text, or empty, is ignored. */
function appSecrets(value: unknown): readonly string[] {
  const secrets = Array.isArray(value) ? value : [value];
  return secrets.filter((secret) => typeof secret === "string" && secret !== "").slice(0, APP_SECRETS_MAX);
}

/** @param timeout of one attempt of a request */
export function secretsClient(timeout: Millis = requestTimeouts.secrets): SecretsManagerClient {
  return new SecretsManagerClient(requestOptions(timeout));
}
