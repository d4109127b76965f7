import { DecryptCommand, EncryptCommand, KMSClient } from "@aws-sdk/client-kms";
import type { SecretPurpose } from "../config/names.ts";
import { requestOptions, requestTimeouts } from "../config/request-times.ts";
import { sha256 } from "../kernel/bytes.ts";
import { callScopePlugin } from "../kernel/call-scope.ts";
import type { TenantId } from "../kernel/tenant.ts";
import { clockNow, MINUTE, type Millis } from "../kernel/time.ts";

/** The purpose and owner of a sealed secret. KMS binds them to the ciphertext: it does not open in another row. */
export interface EncryptionContext {
  readonly purpose: SecretPurpose;
  /** Absent for a secret of the deployment itself. */
  readonly tenant?: TenantId;
  /** The account key, the endpoint's id, the id of the user who chooses an account, or the day of a key of challenges. */
  readonly owner: string;
}

const CACHE_TTL: Millis = 5 * MINUTE;
const CACHE_SIZE_MAX = 200;

export type Vault = ReturnType<typeof openVault>;

/** Seals and opens secrets with one KMS key. Opened secrets are cached in memory for at most 5 minutes. */
export function openVault(keyId: string, client: KMSClient = defaultClient()) {
  client.middlewareStack.use(callScopePlugin);
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
      if (!CiphertextBlob) throw new Error("The KMS response has no ciphertext.");
      return CiphertextBlob;
    },

    /** @throws InvalidCiphertextException when the secret was sealed for another purpose or owner */
    async open(sealed: Uint8Array, encryptionContext: EncryptionContext): Promise<string> {
      const context = toKmsContext(encryptionContext);
      const cacheKey = `${JSON.stringify(context)} ${sha256(sealed).toString("base64")}`;
      const entry = cache.get(cacheKey);
      const now = clockNow();
      if (entry && entry.until > now) return entry.secret;
      const { Plaintext } = await client.send(
        new DecryptCommand({ KeyId: keyId, CiphertextBlob: sealed, EncryptionContext: context }),
      );
      if (!Plaintext) throw new Error("The KMS response has no plaintext.");
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
    ...(encryptionContext.tenant === undefined ? {} : { tenant: encryptionContext.tenant }),
    owner: encryptionContext.owner,
  };
}

function defaultClient(): KMSClient {
  return new KMSClient(requestOptions(requestTimeouts.keys));
}
