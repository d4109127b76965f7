import { RETENTION } from "./durations.ts";
import { type Conversation, millis } from "./types.ts";

// What the console knows of conversations, merged from fetches and frames. Frames come in any order, twice and late, and a
// fetch may be a few seconds old. The functions are pure: a book is never changed.

/** A fetch may show what was true this long before it started. Frames of that time count more. */
export const STALE_MS = 5_000;

interface Known {
  readonly conversation: Conversation;
  /** Epoch milliseconds: the snapshot shows every change up to here. */
  readonly asOf: number;
}

export interface ConversationBook {
  readonly known: ReadonlyMap<string, Known>;
  /** Those that a fetch no longer listed, as they were: answered, done or erased while frames were lost. */
  readonly unlisted: ReadonlyMap<string, Conversation>;
  /** Until when each erased conversation was erased. */
  readonly erased: ReadonlyMap<string, number>;
}

export const emptyBook: ConversationBook = { known: new Map(), unlisted: new Map(), erased: new Map() };

/** How many conversations a book has at most that are no longer listed. */
const UNLISTED_MAX = 200;

/** A page that was fetched. */
export interface FetchedConversations {
  readonly conversations: readonly Conversation[];
  /** The server's time when the request started. */
  readonly startedAt: number;
  /** What the page would show if it still existed. Known conversations that it covers and does not list are gone. */
  readonly covers?: (conversation: Conversation) => boolean;
}

/** Merges a fetched page. */
export function withFetched(book: ConversationBook, fetched: FetchedConversations): ConversationBook {
  const { conversations, startedAt, covers } = fetched;
  const asOf = startedAt - STALE_MS;
  const entries = new Map(book.known);
  const unlisted = new Map(book.unlisted);
  const listedIds = new Set<string>();
  for (const conversation of conversations) {
    listedIds.add(conversation.id);
    put(entries, book.erased, { conversation, asOf });
  }
  if (covers) {
    for (const [id, entry] of book.known) {
      if (listedIds.has(id) || entry.asOf > asOf || !covers(entry.conversation)) continue;
      entries.delete(id);
      unlisted.set(id, entry.conversation);
    }
  }
  const rest = [...unlisted].filter(([id]) => !entries.has(id)).slice(-UNLISTED_MAX);
  return { ...book, known: entries, unlisted: new Map(rest) };
}

/** Merges the conversation of a frame. @param createdAt the frame's `created_at` in epoch milliseconds */
export function withFrame(book: ConversationBook, conversation: Conversation, createdAt: number): ConversationBook {
  const entries = new Map(book.known);
  put(entries, book.erased, { conversation, asOf: createdAt });
  return { ...book, known: entries };
}

/** Forgets a conversation that was erased. A message after the erasure starts it again. */
export function withoutErased(book: ConversationBook, id: string, erasedAt: number): ConversationBook {
  const erased = new Map(book.erased).set(id, Math.max(erasedAt, book.erased.get(id) ?? 0));
  const entries = new Map(book.known);
  const entry = entries.get(id);
  if (entry && millis(entry.conversation.last_message_at) <= erasedAt) entries.delete(id);
  const unlisted = new Map(book.unlisted);
  unlisted.delete(id);
  return { known: entries, unlisted, erased };
}

/** A conversation as it is known, or as it was when a fetch no longer listed it; undefined when it was erased. */
export function lastKnown(book: ConversationBook, id: string): Conversation | undefined {
  return book.known.get(id)?.conversation ?? book.unlisted.get(id);
}

/** Whether messages of a conversation are still stored. */
export function isStored(conversation: Conversation, now: number): boolean {
  return millis(conversation.last_message_at) + RETENTION > now;
}

function put(entries: Map<string, Known>, erased: ConversationBook["erased"], next: Known): void {
  const { id, last_message_at } = next.conversation;
  const erasedAt = erased.get(id);
  if (erasedAt !== undefined && millis(last_message_at) <= erasedAt) return;
  const current = entries.get(id);
  if (current === undefined || supersedes(next, current)) entries.set(id, next);
}

/** The times of messages never move backwards. Between equal ones the newer snapshot counts. */
function supersedes(next: Known, current: Known): boolean {
  const fields = ["last_message_at", "last_inbound_at", "last_outbound_at"] as const;
  for (const field of fields) {
    const difference = millis(next.conversation[field]) - millis(current.conversation[field]);
    if (difference !== 0) return difference > 0;
  }
  return next.asOf >= current.asOf;
}
