import { RETENTION } from "#base/kernel/limits.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { AccountRef } from "#features/accounts/rules/accounts.ts";
import type { MessageContext } from "./message-context.ts";

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
  /** The platform's URL, which expires; null where the platform has none. */
  readonly url: string | null;
  readonly title?: string;
  /** Of a location. */
  readonly coordinates?: Coordinates;
}

/** In degrees. */
export interface Coordinates {
  readonly lat: number;
  readonly long: number;
}

export const directions = ["inbound", "outbound", "echo"] as const;
export type Direction = (typeof directions)[number];

export type SentVia = "participant" | "api_in_window" | "api_human_agent" | "native_app" | "other_app";

export type Scope = "live" | "test";

/** The person, as known when the message was stored. */
export interface Participant {
  readonly id: string;
  /** The display name: the user name, or the full name on a platform without user names. */
  readonly handle: string | null;
  readonly username: string | null;
  /** The display name; null until the profile is known. */
  readonly name: string | null;
}

/** One stored message, with everything that reads and events need. */
export interface Message {
  readonly id: string;
  readonly conversationId: string;
  readonly account: AccountRef;
  readonly participant: Participant;
  readonly direction: Direction;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** What an inbound message brought beside its content. */
  readonly context?: MessageContext;
  readonly sentAt: Millis;
  readonly sentVia: SentVia;
  readonly actorId: string | null;
  readonly replyTo: string | null;
  /** The id of the held message that this one was sent from. */
  readonly holdId?: string | null;
  readonly scope: Scope;
  /** The ULID of the message's event, created at first intake. */
  readonly eventUlid: string;
  /** The newest edit. `text` stays the original text, which the message's event was rendered from. */
  readonly edit?: Edit;
  /** Already in the statistics: it was first stored as an echo of another app and later matched to its send. */
  readonly counted?: true;
  /** When it was unsent. Its content is then removed. */
  readonly unsentAt?: Millis;
  /** The newest reaction of each side, or its removal. */
  readonly lastReactions?: readonly Reaction[];
}

/** Who changed a message. */
/** Whether a message is stored no longer. No reader shows it then, and no intake takes it. */
export function hasRetentionEnded(sentAt: Millis, now: Millis): boolean {
  return sentAt <= now - RETENTION;
}

export const changeAuthors = ["participant", "account"] as const;
export type ChangeAuthor = (typeof changeAuthors)[number];

export interface Reaction {
  readonly by: ChangeAuthor;
  readonly at: Millis;
  /** Null for the removal of a reaction. */
  readonly content: { readonly reaction: string | null; readonly emoji: string | null } | null;
}

export interface Edit {
  readonly text: string;
  /** The number of edits so far, from 1. */
  readonly count: number;
  /** Null for an edit that an earlier version stored. */
  readonly at: Millis | null;
}

/** The text as of the newest edit; empty for an unsent message. */
export function currentText({ text, edit, unsentAt }: Pick<Message, "text" | "edit" | "unsentAt">): string {
  return unsentAt === undefined ? (edit?.text ?? text) : "";
}

/** The reactions that a message has now, the oldest first. */
export function currentReactions({ lastReactions = [] }: Pick<Message, "lastReactions">): Reaction[] {
  return lastReactions.filter(({ content }) => content !== null).sort((one, other) => one.at - other.at);
}

/** Grows with every change of a message. An unsend is the last. */
export function messageVersion({ edit, unsentAt }: Pick<Message, "edit" | "unsentAt">): number {
  return unsentAt === undefined ? (edit?.count ?? 0) : Number.MAX_SAFE_INTEGER;
}

/** Where a message is stored. Queue messages carry this instead of content. */
export interface MessageRef {
  readonly conversationId: string;
  /** `<t13>#<m22>` */
  readonly position: string;
}

/** What an event's body is rendered from: a message, or null when the body is stored with the event. */
export type EventSource = MessageRef | null;

/** A ref as a map key. */
export function messageRefKey(ref: MessageRef): string {
  return `${ref.conversationId} ${ref.position}`;
}
