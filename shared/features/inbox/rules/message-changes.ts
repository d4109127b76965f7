import type { Reaction } from "./messages.ts";
import type { ChangeUpdate, ReactionUpdate } from "./updates.ts";

/** Identifies one edit. The text of a message at an edit count never changes, so the time is not part of the key. */
export function editKey(messageId: string, count: number): string {
  return JSON.stringify([messageId, "edit", count]);
}

/** Identifies the unsending of a message. */
export function unsendKey(messageId: string): string {
  return JSON.stringify([messageId, "unsend"]);
}

/** Identifies a reaction or its removal. The account's has its side in the key. */
export function reactionKey(messageId: string, { by, at, content }: Reaction): string {
  const key = [messageId, "reaction", content ? "react" : "unreact", at];
  return JSON.stringify(by === "account" ? [...key, by] : key);
}

export function toReaction({ by, at, action, reaction, emoji }: ReactionUpdate): Reaction {
  return { by, at, content: action === "react" ? { reaction, emoji } : null };
}

/** Identifies a change within its conversation. A redelivered change has the same key. */
export function changeKey(update: ChangeUpdate): string {
  switch (update.kind) {
    case "unsend":
      return unsendKey(update.messageId);
    case "edit":
      return editKey(update.messageId, update.editCount);
    case "reaction":
      return reactionKey(update.messageId, toReaction(update));
  }
}
