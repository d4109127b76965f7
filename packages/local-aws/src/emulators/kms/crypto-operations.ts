import { randomBytes } from "node:crypto";
import { z } from "zod";
import { type Operation, operation } from "../json-service.ts";
import { ServiceError } from "../service-error.ts";
import type { Key, KeyRing } from "./keys.ts";
import { type EncryptionContext, invalidCiphertext, parseKeyId, seal, unseal } from "./sealing.ts";

const PLAINTEXT_BYTES_MAX = 4096;
const DATA_KEY_BYTES_MAX = 1024;

const base64 = z.base64().transform((text) => Buffer.from(text, "base64"));
const context = z.record(z.string(), z.string()).default({});
const dataKeyInput = z.object({
  KeyId: z.string(),
  KeySpec: z.enum(["AES_128", "AES_256"]).optional(),
  NumberOfBytes: z.number().int().min(1).max(DATA_KEY_BYTES_MAX).optional(),
  EncryptionContext: context,
});

/** The encryption operations: Encrypt, Decrypt, ReEncrypt and the data keys. */
export function cryptoOperations(ring: KeyRing): Record<string, Operation> {
  return {
    Encrypt: operation(
      z.object({ KeyId: z.string(), Plaintext: base64, EncryptionContext: context }),
      ({ KeyId, Plaintext, EncryptionContext }) => {
        if (Plaintext.length < 1 || Plaintext.length > PLAINTEXT_BYTES_MAX) {
          throw new ServiceError("ValidationException", `Plaintext must have 1 to ${PLAINTEXT_BYTES_MAX} bytes.`);
        }
        return toEncryptResponse(ring, ring.findUsable(KeyId, "ENCRYPT_DECRYPT"), Plaintext, EncryptionContext);
      },
    ),
    Decrypt: operation(
      z.object({ CiphertextBlob: base64, EncryptionContext: context, KeyId: z.string().optional() }),
      (input) => {
        const { key, plaintext } = decrypt(ring, input.CiphertextBlob, input.EncryptionContext, input.KeyId);
        return {
          KeyId: ring.arn(key),
          Plaintext: plaintext.toString("base64"),
          EncryptionAlgorithm: "SYMMETRIC_DEFAULT",
        };
      },
    ),
    ReEncrypt: operation(
      z.object({
        CiphertextBlob: base64,
        SourceEncryptionContext: context,
        SourceKeyId: z.string().optional(),
        DestinationKeyId: z.string(),
        DestinationEncryptionContext: context,
      }),
      (input) => {
        const source = decrypt(ring, input.CiphertextBlob, input.SourceEncryptionContext, input.SourceKeyId);
        const target = ring.findUsable(input.DestinationKeyId, "ENCRYPT_DECRYPT");
        const response = toEncryptResponse(ring, target, source.plaintext, input.DestinationEncryptionContext);
        return { ...response, SourceKeyId: ring.arn(source.key) };
      },
    ),
    GenerateDataKey: operation(dataKeyInput, (input) => {
      const { plaintext, response } = newDataKey(ring, input);
      return { ...response, Plaintext: plaintext.toString("base64") };
    }),
    GenerateDataKeyWithoutPlaintext: operation(dataKeyInput, (input) => newDataKey(ring, input).response),
    GenerateRandom: operation(
      z.object({ NumberOfBytes: z.number().int().min(1).max(DATA_KEY_BYTES_MAX) }),
      (input) => ({
        Plaintext: randomBytes(input.NumberOfBytes).toString("base64"),
      }),
    ),
  };
}

function toEncryptResponse(ring: KeyRing, key: Key, plaintext: Buffer, encryptionContext: EncryptionContext): object {
  return {
    KeyId: ring.arn(key),
    CiphertextBlob: seal(key, plaintext, encryptionContext).toString("base64"),
    EncryptionAlgorithm: "SYMMETRIC_DEFAULT",
  };
}

/** The plaintext and the key that decrypted it. If the request names another key, it is rejected before decryption. */
function decrypt(
  ring: KeyRing,
  ciphertext: Buffer,
  encryptionContext: EncryptionContext,
  requestedKeyId: string | undefined,
) {
  const id = parseKeyId(ciphertext);
  if (!ring.list().some((key) => key.id === id)) throw invalidCiphertext();
  if (requestedKeyId !== undefined && ring.findUsable(requestedKeyId, "ENCRYPT_DECRYPT").id !== id) {
    throw new ServiceError(
      "IncorrectKeyException",
      "The key in the request is not the key that encrypted the ciphertext.",
    );
  }
  const key = ring.findUsable(id, "ENCRYPT_DECRYPT");
  return { key, plaintext: unseal(key, ciphertext, encryptionContext) };
}

function newDataKey(ring: KeyRing, input: z.infer<typeof dataKeyInput>): { plaintext: Buffer; response: object } {
  const key = ring.findUsable(input.KeyId, "ENCRYPT_DECRYPT");
  const plaintext = randomBytes(input.NumberOfBytes ?? (input.KeySpec === "AES_128" ? 16 : 32));
  const blob = seal(key, plaintext, input.EncryptionContext).toString("base64");
  return { plaintext, response: { KeyId: ring.arn(key), CiphertextBlob: blob } };
}
