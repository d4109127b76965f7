import type { Millis } from "../../support/time.ts";
import type { JsonService, Operation } from "../json-service.ts";
import { ServiceError } from "../service-error.ts";
import { cryptoOperations } from "./crypto-operations.ts";
import { keyOperations } from "./key-operations.ts";
import { KeyRing } from "./keys.ts";
import { macOperations } from "./mac-operations.ts";
import { parseKeyId } from "./sealing.ts";

export interface KmsOptions {
  readonly dataDir: string;
  readonly now: () => Millis;
  readonly region: string;
  readonly accountId: string;
}

/** KMS: symmetric and HMAC keys. A key policy is stored and not enforced, a key is never rotated, and grants are not emulated. */
export class Kms implements JsonService {
  readonly protocol = "1.1";
  readonly errorPrefix = "";
  readonly operations: Readonly<Record<string, Operation>>;
  readonly #ring: KeyRing;

  constructor(options: KmsOptions) {
    this.#ring = new KeyRing(options.dataDir, `arn:aws:kms:${options.region}:${options.accountId}:`, options.now);
    this.operations = {
      ...keyOperations(this.#ring, options.accountId),
      ...cryptoOperations(this.#ring),
      ...macOperations(this.#ring),
    };
  }

  /** The ARN of the key that a request names or that encrypted a ciphertext in base64; what is named, if there is none. */
  findArn({
    keyId,
    ciphertext,
  }: {
    readonly keyId?: string | undefined;
    readonly ciphertext?: string | undefined;
  }): string {
    try {
      const reference = ciphertext === undefined ? (keyId ?? "") : parseKeyId(Buffer.from(ciphertext, "base64"));
      return this.#ring.arn(this.#ring.find(reference));
    } catch (error) {
      if (error instanceof ServiceError) return keyId ?? "*";
      throw error;
    }
  }

  close(): void {
    this.#ring.close();
  }
}
