import type { ChangeUpdate } from "./updates.ts";

/** Identifies one edit. The text of a message at an edit count never changes, so the time is not part of the key. */
export function editKey(messageId: string, count: number): string {
  return JSON.stringify([messageId, "edit", count]);
}

/** Identifies the unsending of a message. */
export function unsendKey(messageId: string): string {
  return JSON.stringify([messageId, "unsend"]);
}

/** Identifies a change within its conversation. A redelivered change has the same key. */
export function changeKey(update: ChangeUpdate): string {
  switch (update.kind) {
    case "unsend":
      return unsendKey(update.messageId);
    case "edit":
      return editKey(update.messageId, update.editCount);
    case "reaction":
      return JSON.stringify([update.messageId, "reaction", update.action, update.at]);
  }
}
