import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { ServiceError } from "../service-error.ts";
import type { Key } from "./keys.ts";

// A ciphertext: format 1 | length of the key's id | id | 12 bytes iv | 16 bytes tag | AES-256-GCM of the plaintext.
// The encryption context is authenticated data, so decryption fails with another context.

const FORMAT = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;

export type EncryptionContext = Readonly<Record<string, string>>;

export function seal(key: Key, plaintext: Uint8Array, context: EncryptionContext): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", keyMaterial(key), iv).setAAD(additionalData(context));
  const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  const id = Buffer.from(key.id);
  return Buffer.concat([Buffer.from([FORMAT, id.length]), id, iv, cipher.getAuthTag(), body]);
}

/** The id of the key that encrypted a ciphertext. Throws InvalidCiphertextException for an unknown format. */
export function parseKeyId(ciphertext: Buffer): string {
  const end = 2 + (ciphertext[1] ?? 0);
  if (ciphertext[0] !== FORMAT || ciphertext.length < end + IV_BYTES + TAG_BYTES) throw invalidCiphertext();
  return ciphertext.subarray(2, end).toString();
}

/** Decrypts. Throws InvalidCiphertextException if the ciphertext or the context was changed. */
export function unseal(key: Key, ciphertext: Buffer, context: EncryptionContext): Buffer {
  const iv = 2 + Buffer.byteLength(key.id);
  const tag = iv + IV_BYTES;
  const body = tag + TAG_BYTES;
  const decipher = createDecipheriv("aes-256-gcm", keyMaterial(key), ciphertext.subarray(iv, tag));
  decipher.setAAD(additionalData(context)).setAuthTag(ciphertext.subarray(tag, body));
  try {
    return Buffer.concat([decipher.update(ciphertext.subarray(body)), decipher.final()]);
  } catch {
    throw invalidCiphertext();
  }
}

export function invalidCiphertext(): ServiceError {
  return new ServiceError("InvalidCiphertextException", "The ciphertext or its encryption context is not valid.");
}

export function keyMaterial(key: Key): Buffer {
  return Buffer.from(key.material, "base64");
}

/** The context with its names sorted, so that their order in the request does not matter. */
function additionalData(context: EncryptionContext): Buffer {
  return Buffer.from(JSON.stringify(Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1))));
}
