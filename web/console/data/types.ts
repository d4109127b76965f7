import type { Conversation, Message, StreamEvent } from "#client";

export type { Conversation, Message, StreamEvent };

export type Platform = Conversation["platform"];

/** What a file is sent as. */
export type FileKind = "image" | "video" | "audio" | "file";

/** Epoch milliseconds of an ISO time; 0 for null. */
export function millis(time: string | null): number {
  return time === null ? 0 : Date.parse(time);
}
