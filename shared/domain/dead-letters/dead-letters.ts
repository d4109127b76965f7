import { deriveUlid } from "../../kernel/ids.ts";
import type { Millis } from "../../kernel/time.ts";

/** By what a dead letter is known: a ULID that follows from when it was first sent and the queue's own id of it. */
export function deadLetterId(letter: { readonly messageId: string; readonly sentAt: Millis }): string {
  return deriveUlid(letter.sentAt, letter.messageId);
}
