import type { Millis } from "../../kernel/time.ts";
import type { AccountRef } from "../accounts/accounts.ts";

export const attachmentTypes = [
  "image",
  "video",
  "audio",
  "file",
  "share",
  "story_mention",
  "sticker",
  "location",
  "unsupported",
] as const;
export type AttachmentType = (typeof attachmentTypes)[number];

export interface Attachment {
  readonly type: AttachmentType;
  /** The platform's own URL, which expires; null where the platform gives none. */
  readonly url: string | null;
}

export const directions = ["inbound", "outbound", "echo"] as const;
export type Direction = (typeof directions)[number];

export type SentVia = "participant" | "api_in_window" | "api_human_agent" | "native_app" | "other_app";

export type Scope = "live" | "test";

/** The person, as known when a message was stored. */
export interface Participant {
  readonly id: string;
  /** What to call them: the user name, or where the platform has none the full name. */
  readonly handle: string | null;
  readonly username: string | null;
}

/** One message as it is kept: all that reads and its events need. */
export interface Message {
  readonly id: string;
  readonly conversationId: string;
  readonly account: AccountRef;
  readonly participant: Participant;
  readonly direction: Direction;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly sentAt: Millis;
  readonly sentVia: SentVia;
  readonly actorId: string | null;
  readonly replyTo: string | null;
  /** The held message that this one was, if it was one. */
  readonly holdId?: string | null;
  readonly scope: Scope;
  /** The ULID part of the event that announces this message, minted at first intake. */
  readonly eventUlid: string;
  /** The author's newest edit. The first text stays beside it: that is what the message's event told. */
  readonly edit?: Edit;
  /** It is counted already: it came as an echo that nobody knew to be ours, and then its send knew it. */
  readonly counted?: true;
  /** Its author took it back: nothing is left of it but that it was there. */
  readonly unsent?: true;
}

export interface Edit {
  readonly text: string;
  /** How often the author had edited the message by then, from 1. */
  readonly count: number;
}

/** The text that a reader is to see now. */
export function currentText({ text, edit, unsent }: Pick<Message, "text" | "edit" | "unsent">): string {
  return unsent ? "" : (edit?.text ?? text);
}

/** Grows with each change of a message; no edit comes after it was unsent. */
export function messageVersion({ edit, unsent }: Pick<Message, "edit" | "unsent">): number {
  return unsent ? Number.MAX_SAFE_INTEGER : (edit?.count ?? 0);
}

/** Where a message lies: what an event names instead of carrying content. */
export interface MessageRef {
  readonly conversationId: string;
  /** `<t13>#<m22>` */
  readonly position: string;
}

/** Where an event's body comes from: a message, or null when it is kept with the event itself. */
export type EventSource = MessageRef | null;

/** A ref as one text, to find a message by in a map. */
export function messageRefKey(ref: MessageRef): string {
  return `${ref.conversationId} ${ref.position}`;
}
