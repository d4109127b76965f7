import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { deriveKey } from "../kernel/bytes.ts";
import { callScopePlugin } from "../kernel/call-scope.ts";
import { memoize } from "../kernel/memo.ts";
import { clockNow, MINUTE, type Millis } from "../kernel/time.ts";

const CACHE_LIFETIME: Millis = 5 * MINUTE;
const ROOT_CHARS_MIN = 32;

/** The keys derived from the root secret, one per purpose. */
export interface ServiceKeys {
  /** The pepper of API key hashes. */
  readonly pepper: Buffer;
  readonly cursor: Buffer;
  /** Derives the secret of a hold from its id. */
  readonly holdSecret: Buffer;
  /** Seals the challenges of the check page. */
  readonly challenge: Buffer;
}

export interface PlatformSecrets {
  readonly meta: string;
  readonly instagram: string;
  readonly verifyToken: string;
}

/** @throws when the root secret is too short */
export function deriveServiceKeys(root: string): ServiceKeys {
  if (root.length < ROOT_CHARS_MIN) throw new Error(`The root secret is shorter than ${ROOT_CHARS_MIN} characters.`);
  return {
    pepper: deriveKey(root, "api-key-pepper"),
    cursor: deriveKey(root, "cursor"),
    holdSecret: deriveKey(root, "hold-secret"),
    challenge: deriveKey(root, "check-challenge"),
  };
}

/** Reads a secret and caches it for five minutes. A failed read is repeated at the next call. */
export function secretReader<T>(
  secretId: string,
  parse: (text: string) => T,
  client = defaultClient(),
): () => Promise<T> {
  client.middlewareStack.use(callScopePlugin);
  const readSecret = memoize(
    async (SecretId: string) => {
      const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId }));
      if (!SecretString) throw new Error("The secret is empty.");
      return parse(SecretString);
    },
    String,
    CACHE_LIFETIME,
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

function defaultClient(): SecretsManagerClient {
  return new SecretsManagerClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000 },
  });
}
