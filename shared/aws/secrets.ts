import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { callScopePlugin } from "../kernel/call-scope.ts";
import { memoize } from "../kernel/memo.ts";
import { clockNow, MINUTE, type Millis } from "../kernel/time.ts";

/** A process uses a changed secret after this time at the latest. */
export const SECRET_CACHE_LIFETIME: Millis = 5 * MINUTE;

export interface PlatformSecrets {
  readonly meta: string;
  readonly instagram: string;
  readonly verifyToken: string;
}

/** Reads a secret and caches it for five minutes. A failed read is repeated at the next call. */
export function secretReader<T>(
  secretId: string,
  parse: (text: string) => T,
  client?: SecretsManagerClient,
): () => Promise<T> {
  const scopedClient = secretsClient(client);
  const readSecret = memoize(
    async (SecretId: string) => {
      const { SecretString } = await scopedClient.send(new GetSecretValueCommand({ SecretId }));
      if (!SecretString) throw new Error("The secret is empty.");
      return parse(SecretString);
    },
    String,
    SECRET_CACHE_LIFETIME,
  );
  return () => readSecret(secretId, clockNow());
}

export function parsePlatformSecrets(text: string): PlatformSecrets {
  const { meta, instagram, verify_token } = JSON.parse(text) as Record<string, unknown>;
  return { meta: stringOrEmpty(meta), instagram: stringOrEmpty(instagram), verifyToken: stringOrEmpty(verify_token) };
}

function stringOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A client that begins no call outside of its scope; without an argument, one with the timeouts of the functions. */
export function secretsClient(
  client = new SecretsManagerClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000 },
  }),
): SecretsManagerClient {
  client.middlewareStack.use(callScopePlugin);
  return client;
}
