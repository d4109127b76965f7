import { isStored } from "./conversation-book.ts";
import { REPLY_WINDOW } from "./durations.ts";
import { type Conversation, millis, type Platform } from "./types.ts";

/** The lists of the inbox: who needs a reply, whose window closes first first; and all, newest message first. */
export type View = "needs-reply" | "all";

/** Which conversations a list has. The platform and the account are filters of the API. */
export interface ListQuery {
  readonly view: View;
  readonly platform: Platform | null;
  readonly accountKey: string | null;
}

/** How far a list is loaded. */
export interface ListState {
  readonly status: "loading" | "ready" | "failed";
  /** What ended the last load of it early; null when nothing did. */
  readonly error: unknown;
  /** The cursor of the next page; null when all is loaded. */
  readonly next: string | null;
  /** How many conversations the loaded pages had. */
  readonly rows: number;
  /** The last conversation that was loaded; null when all is loaded. */
  readonly last: Conversation | null;
}

export const emptyList: ListState = { status: "loading", error: null, next: null, rows: 0, last: null };

/** A count is exact up to here. */
export const COUNTED_MAX = 200;

/**
 * A count in words: exact up to 200, then `200+`. While others may belong to it that are not loaded, it has a plus, too.
 * @param isComplete whether all that belong to it are loaded
 */
export function countLabel(count: number, isComplete: boolean): string {
  if (count > COUNTED_MAX) return `${COUNTED_MAX}+`;
  return isComplete || count === 0 ? String(count) : `${count}+`;
}

/** Whether everything of a list is loaded. */
export function isComplete({ status, next }: ListState): boolean {
  return status === "ready" && next === null;
}

/** The same query has the same key. */
export function listKey({ view, platform, accountKey }: ListQuery): string {
  return JSON.stringify([view, platform, accountKey]);
}

/** Whether a conversation belongs to a list, wherever it is in its order. */
export function belongsTo(query: ListQuery, conversation: Conversation): boolean {
  return (
    (query.view === "all" || conversation.needs_reply) &&
    (query.platform === null || conversation.platform === query.platform) &&
    (query.accountKey === null || conversation.account_key === query.accountKey)
  );
}

/**
 * Whether a conversation has its place in the loaded part of a list.
 * @param now the server's time in epoch milliseconds: of those who wait for a reply, who can still get one comes first
 */
export function isLoaded(view: View, last: Conversation | null, conversation: Conversation, now: number): boolean {
  if (last === null) return true;
  if (view === "all") return millis(conversation.last_message_at) >= millis(last.last_message_at);
  const [canReply, lastCanReply] = [conversation, last].map(
    (each) => millis(each.last_inbound_at) > now - REPLY_WINDOW,
  );
  if (canReply !== lastCanReply) return canReply === true;
  return millis(conversation.last_inbound_at) <= millis(last.last_inbound_at);
}

/** The conversations of a list that are loaded and still stored, in no order. */
export function loadedOf(
  query: ListQuery,
  state: ListState,
  conversations: Iterable<Conversation>,
  now: number,
): Conversation[] {
  return [...conversations].filter(
    (conversation) =>
      belongsTo(query, conversation) &&
      isLoaded(query.view, state.last, conversation, now) &&
      isStored(conversation, now),
  );
}
