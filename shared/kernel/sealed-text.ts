import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { type KeyRing, openWith } from "./key-ring.ts";

// sealed = 12 bytes: nonce ‖ ciphertext ‖ 16 bytes: tag (AES-256-GCM)

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Seals a short text with the ring's current key. @param context what the text belongs to: it opens for no other */
export function sealText(ring: KeyRing, context: string, text: string): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", ring.current.key, nonce).setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
}

/** @returns null when no key of the ring opens the text, or when it was sealed for another context */
export function openText(ring: KeyRing, context: string, sealed: Uint8Array): string | null {
  if (sealed.byteLength < NONCE_BYTES + TAG_BYTES) return null;
  const tagStart = sealed.byteLength - TAG_BYTES;
  return openWith(ring, (key) => {
    try {
      const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(context))
        .setAuthTag(sealed.subarray(tagStart));
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, tagStart)), decipher.final()]).toString();
    } catch {
      return null;
    }
  });
}
