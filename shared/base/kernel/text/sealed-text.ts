import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { type KeyRing, mayHaveSealed, openWith } from "../key-ring.ts";
import type { Millis } from "../time.ts";

// sealed = 12 bytes: nonce ‖ ciphertext ‖ 16 bytes: tag (AES-256-GCM)
// nonce = 6 bytes: when it was sealed, in ms ‖ 6 random bytes. The tag proves it. Earlier releases wrote 12 random bytes.

const NONCE_BYTES = 12;
const TIME_BYTES = 6;
const TAG_BYTES = 16;

/** Seals a short text with the ring's current key. @param context what the text belongs to: it opens for no other */
export function sealText(ring: KeyRing, context: string, text: string, now: Millis): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  nonce.writeUIntBE(now, 0, TIME_BYTES);
  const cipher = createCipheriv("aes-256-gcm", ring.current.key, nonce).setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
}

/**
 * @param issuedAt when a text was issued, if the text itself says so. A replaced key opens it only if that is true
 * @returns null when no key of the ring opens the text, or when it was sealed for another context
 */
export function openText(
  ring: KeyRing,
  context: string,
  sealed: Uint8Array,
  issuedAt: (text: string) => Millis = () => 0,
): string | null {
  if (sealed.byteLength < NONCE_BYTES + TAG_BYTES) return null;
  const tagStart = sealed.byteLength - TAG_BYTES;
  const sealedAt = Buffer.from(sealed.subarray(0, TIME_BYTES)).readUIntBE(0, TIME_BYTES);
  return openWith(ring, (version) => {
    if (!mayHaveSealed(version, sealedAt)) return null;
    try {
      const decipher = createDecipheriv("aes-256-gcm", version.key, sealed.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(context))
        .setAuthTag(sealed.subarray(tagStart));
      const text = Buffer.concat([
        decipher.update(sealed.subarray(NONCE_BYTES, tagStart)),
        decipher.final(),
      ]).toString();
      return mayHaveSealed(version, issuedAt(text)) ? text : null;
    } catch {
      return null;
    }
  });
}
