import { deriveUlid } from "#base/kernel/ids.ts";
import type { Millis } from "#base/kernel/time.ts";

/** The id of a dead letter: a ULID derived from when it was first sent, or its webhook arrived, and its SQS message id. */
export function deadLetterId(letter: { readonly messageId: string; readonly sentAt: Millis }): string {
  return deriveUlid(letter.sentAt, letter.messageId);
}
