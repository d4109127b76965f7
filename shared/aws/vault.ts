import { DecryptCommand, EncryptCommand, KMSClient } from "@aws-sdk/client-kms";
import { sha256 } from "../kernel/bytes.ts";
import type { TenantId } from "../kernel/tenant.ts";
import { clockNow, MINUTE, type Millis } from "../kernel/time.ts";

/** What a sealed secret is for and whose it is. KMS binds it to the ciphertext: a row copied elsewhere does not open. */
export interface SealedFor {
  readonly purpose: "account-token" | "webhook-secret";
  readonly tenant: TenantId;
  /** The account key, or the endpoint's id. */
  readonly owner: string;
}

const OPENED_FOR: Millis = 5 * MINUTE;
const OPENED_MAX = 200;

export type Vault = ReturnType<typeof openVault>;

/** Seals and opens secrets under one KMS key. What was opened stays in memory for at most 5 minutes. */
export function openVault(keyId: string, client: KMSClient = defaultClient()) {
  const opened = new Map<string, { secret: string; until: Millis }>();

  return {
    async seal(secret: string, to: SealedFor): Promise<Uint8Array> {
      const { CiphertextBlob } = await client.send(
        new EncryptCommand({ KeyId: keyId, Plaintext: Buffer.from(secret), EncryptionContext: contextOf(to) }),
      );
      if (!CiphertextBlob) throw new Error("KMS answered no ciphertext.");
      return CiphertextBlob;
    },

    /** Throws InvalidCiphertextException when the secret was sealed for something else. */
    async open(sealed: Uint8Array, to: SealedFor): Promise<string> {
      const context = contextOf(to);
      const slot = `${JSON.stringify(context)} ${sha256(sealed).toString("base64")}`;
      const known = opened.get(slot);
      const now = clockNow();
      if (known && known.until > now) return known.secret;
      const { Plaintext } = await client.send(
        new DecryptCommand({ KeyId: keyId, CiphertextBlob: sealed, EncryptionContext: context }),
      );
      if (!Plaintext) throw new Error("KMS answered no plaintext.");
      const secret = Buffer.from(Plaintext).toString();
      opened.delete(slot);
      opened.set(slot, { secret, until: now + OPENED_FOR });
      for (const oldest of opened.keys()) {
        if (opened.size <= OPENED_MAX) break;
        opened.delete(oldest);
      }
      return secret;
    },
  };
}

function contextOf(to: SealedFor): Record<string, string> {
  return { app: "parley", purpose: to.purpose, tenant: to.tenant, owner: to.owner };
}

function defaultClient(): KMSClient {
  return new KMSClient({ maxAttempts: 3, requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000 } });
}
