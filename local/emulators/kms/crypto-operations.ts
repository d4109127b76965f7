import { randomBytes } from "node:crypto";
import { z } from "zod";
import { type Operation, operation } from "../json-service.ts";
import { ServiceError } from "../service-error.ts";
import type { Key, KeyRing } from "./keys.ts";
import { type EncryptionContext, invalidCiphertext, keyIdOf, seal, unseal } from "./sealing.ts";

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

/** The operations that encrypt and decrypt. */
export function cryptoOperations(ring: KeyRing): Record<string, Operation> {
  return {
    Encrypt: operation(
      z.object({ KeyId: z.string(), Plaintext: base64, EncryptionContext: context }),
      ({ KeyId, Plaintext, EncryptionContext }) => {
        if (Plaintext.length < 1 || Plaintext.length > PLAINTEXT_BYTES_MAX) {
          throw new ServiceError("ValidationException", `Plaintext must have 1 to ${PLAINTEXT_BYTES_MAX} bytes.`);
        }
        return sealed(ring, ring.usable(KeyId, "ENCRYPT_DECRYPT"), Plaintext, EncryptionContext);
      },
    ),
    Decrypt: operation(
      z.object({ CiphertextBlob: base64, EncryptionContext: context, KeyId: z.string().optional() }),
      (input) => {
        const { key, plaintext } = opened(ring, input.CiphertextBlob, input.EncryptionContext, input.KeyId);
        return {
          KeyId: ring.arnOf(key),
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
        const source = opened(ring, input.CiphertextBlob, input.SourceEncryptionContext, input.SourceKeyId);
        const target = ring.usable(input.DestinationKeyId, "ENCRYPT_DECRYPT");
        const answer = sealed(ring, target, source.plaintext, input.DestinationEncryptionContext);
        return { ...answer, SourceKeyId: ring.arnOf(source.key) };
      },
    ),
    GenerateDataKey: operation(dataKeyInput, (input) => {
      const { plaintext, answer } = newDataKey(ring, input);
      return { ...answer, Plaintext: plaintext.toString("base64") };
    }),
    GenerateDataKeyWithoutPlaintext: operation(dataKeyInput, (input) => newDataKey(ring, input).answer),
    GenerateRandom: operation(
      z.object({ NumberOfBytes: z.number().int().min(1).max(DATA_KEY_BYTES_MAX) }),
      (input) => ({
        Plaintext: randomBytes(input.NumberOfBytes).toString("base64"),
      }),
    ),
  };
}

function sealed(ring: KeyRing, key: Key, plaintext: Buffer, given: EncryptionContext): object {
  return {
    KeyId: ring.arnOf(key),
    CiphertextBlob: seal(key, plaintext, given).toString("base64"),
    EncryptionAlgorithm: "SYMMETRIC_DEFAULT",
  };
}

/** The plaintext and the key that opened it. A named key that is another one is refused before it is tried. */
function opened(ring: KeyRing, ciphertext: Buffer, given: EncryptionContext, named: string | undefined) {
  const id = keyIdOf(ciphertext);
  if (!ring.list().some((key) => key.id === id)) throw invalidCiphertext();
  if (named !== undefined && ring.usable(named, "ENCRYPT_DECRYPT").id !== id) {
    throw new ServiceError("IncorrectKeyException", "The ciphertext was made with another key than the one named.");
  }
  const key = ring.usable(id, "ENCRYPT_DECRYPT");
  return { key, plaintext: unseal(key, ciphertext, given) };
}

function newDataKey(ring: KeyRing, input: z.infer<typeof dataKeyInput>): { plaintext: Buffer; answer: object } {
  const key = ring.usable(input.KeyId, "ENCRYPT_DECRYPT");
  const plaintext = randomBytes(input.NumberOfBytes ?? (input.KeySpec === "AES_128" ? 16 : 32));
  const blob = seal(key, plaintext, input.EncryptionContext).toString("base64");
  return { plaintext, answer: { KeyId: ring.arnOf(key), CiphertextBlob: blob } };
}
