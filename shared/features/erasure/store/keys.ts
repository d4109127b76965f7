import type { Millis } from "#base/kernel/time.ts";
import { type Key, t13 } from "#base/table/keys.ts";

/** The erasure of a conversation. @param erasureId the hash of the conversation's id */
export function erasureKey(erasureId: string): Key {
  return { PK: `ER#${erasureId}`, SK: "R" };
}

/** Removed events of a conversation that was erased at that instant. @param tail a ULID or the mark of one message */
export function erasedEventsKey(erasureId: string, erasedAt: Millis, tail: string): Key {
  return { PK: `ER#${erasureId}`, SK: `P#${t13(erasedAt)}#${tail}` };
}

/** Items outside a conversation's partition that belong to it, by id. */
export const relatedKeys = {
  hold: (id: string): Key => ({ PK: `H#${id}`, SK: "H" }),
  upload: (id: string): Key => ({ PK: `U#${id}`, SK: "U" }),
} as const;

/** From a conversation to such an item, so that an erasure finds it. */
export function relatedRefKey(conversationId: string, kind: keyof typeof relatedKeys, id: string): Key {
  return { PK: conversationId, SK: `A#${kind}#${id}` };
}
