import { DecryptCommand, EncryptCommand, KMSClient } from "@aws-sdk/client-kms";
import { sha256 } from "../kernel/bytes.ts";
import type { TenantId } from "../kernel/tenant.ts";
import { clockNow, MINUTE, type Millis } from "../kernel/time.ts";

/** What a sealed secret is for and whose it is. KMS binds it to the ciphertext: a row copied elsewhere does not open. */
export interface EncryptionContext {
  readonly purpose: "account-token" | "webhook-secret";
  readonly tenant: TenantId;
  /** The account key, or the endpoint's id. */
  readonly owner: string;
}

const CACHE_TTL: Millis = 5 * MINUTE;
const CACHE_SIZE_MAX = 200;

export type Vault = ReturnType<typeof openVault>;

/** Seals and opens secrets under one KMS key. What was opened stays in memory for at most 5 minutes. */
export function openVault(keyId: string, client: KMSClient = defaultClient()) {
  const cache = new Map<string, { secret: string; until: Millis }>();

  return {
    async seal(secret: string, encryptionContext: EncryptionContext): Promise<Uint8Array> {
      const { CiphertextBlob } = await client.send(
        new EncryptCommand({
          KeyId: keyId,
          Plaintext: Buffer.from(secret),
          EncryptionContext: toKmsContext(encryptionContext),
        }),
      );
      if (!CiphertextBlob) throw new Error("KMS answered no ciphertext.");
      return CiphertextBlob;
    },

    /** Throws InvalidCiphertextException when the secret was sealed for something else. */
    async open(sealed: Uint8Array, encryptionContext: EncryptionContext): Promise<string> {
      const context = toKmsContext(encryptionContext);
      const cacheKey = `${JSON.stringify(context)} ${sha256(sealed).toString("base64")}`;
      const entry = cache.get(cacheKey);
      const now = clockNow();
      if (entry && entry.until > now) return entry.secret;
      const { Plaintext } = await client.send(
        new DecryptCommand({ KeyId: keyId, CiphertextBlob: sealed, EncryptionContext: context }),
      );
      if (!Plaintext) throw new Error("KMS answered no plaintext.");
      const secret = Buffer.from(Plaintext).toString();
      cache.delete(cacheKey);
      cache.set(cacheKey, { secret, until: now + CACHE_TTL });
      for (const oldest of cache.keys()) {
        if (cache.size <= CACHE_SIZE_MAX) break;
        cache.delete(oldest);
      }
      return secret;
    },
  };
}

function toKmsContext(encryptionContext: EncryptionContext): Record<string, string> {
  return {
    app: "parley",
    purpose: encryptionContext.purpose,
    tenant: encryptionContext.tenant,
    owner: encryptionContext.owner,
  };
}

function defaultClient(): KMSClient {
  return new KMSClient({ maxAttempts: 3, requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000 } });
}
