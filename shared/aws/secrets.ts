import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { deriveKey } from "../kernel/bytes.ts";
import { callScopePlugin } from "../kernel/call-scope.ts";
import type { KeyRing } from "../kernel/key-ring.ts";
import { memoize } from "../kernel/memo.ts";
import { clockNow, MINUTE, type Millis } from "../kernel/time.ts";

const CACHE_LIFETIME: Millis = 5 * MINUTE;
const ROOT_CHARS_MIN = 32;
const KID_CHARS = 8;

/** The keys derived from the root secret, one per purpose. */
export interface ServiceKeys {
  /** The pepper of API key hashes. */
  readonly pepper: KeyRing;
  readonly cursor: KeyRing;
  /** Derives the secret of a hold from its id. */
  readonly holdSecret: KeyRing;
  /** Seals the challenges of the check page. */
  readonly challenge: KeyRing;
  /** Signs the sessions of the console. */
  readonly session: KeyRing;
  /** Hides e-mail and source addresses in item keys. */
  readonly address: KeyRing;
  /** Seals what a sign-in link is mailed with. */
  readonly loginLink: KeyRing;
}

export interface PlatformSecrets {
  readonly meta: string;
  readonly instagram: string;
  readonly verifyToken: string;
}

/** @throws when the root secret is too short */
export function deriveServiceKeys(root: string): ServiceKeys {
  if (root.length < ROOT_CHARS_MIN) throw new Error(`The root secret is shorter than ${ROOT_CHARS_MIN} characters.`);
  const kid = deriveKey(root, "kid").toString("base64url").slice(0, KID_CHARS);
  const ring = (purpose: string): KeyRing => ({
    current: { kid, key: deriveKey(root, purpose), sealsFrom: 0 },
    previous: null,
    next: null,
  });
  return {
    pepper: ring("api-key-pepper"),
    cursor: ring("cursor"),
    holdSecret: ring("hold-secret"),
    challenge: ring("check-challenge"),
    session: ring("session"),
    address: ring("address"),
    loginLink: ring("login-link"),
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
