import { useEffect, useMemo } from "react";
import { printableText } from "../../../../packages/client/src/printable.ts";
import { belongsTo, emptyList, type ListQuery, listKey, loadedOf } from "../../data/inbox-lists.ts";
import { COUNTED_MAX, type InboxState } from "../../data/live-inbox.ts";
import { personHandle, personName } from "../../data/names.ts";
import type { Conversation } from "../../data/types.ts";
import { windowOf } from "../../data/window.ts";
import { useInbox, useServerTime, useWorkspace } from "../../data/workspace.tsx";
import { sectionsOf } from "./order.ts";
import type { ListChoice } from "./view-state.ts";

const selectBook = ({ book }: InboxState) => book;
const selectLists = ({ lists }: InboxState) => lists;

/** The list that a person chose: how far it is loaded, its sections, and who matches the search. */
export function useList(choice: ListChoice, search: string) {
  const { inbox } = useWorkspace();
  const book = useInbox(selectBook);
  const lists = useInbox(selectLists);
  const now = useServerTime();
  const { view, platform, accountKey, window } = choice;
  const query = useMemo<ListQuery>(() => ({ view, platform, accountKey }), [view, platform, accountKey]);
  const state = lists.get(listKey(query)) ?? emptyList;
  useEffect(() => void inbox.loadList(query), [inbox, query]);
  const { sections, loaded } = useMemo(() => {
    const all = [...book.known.values()].map(({ conversation }) => conversation);
    const words = search.trim().toLocaleLowerCase();
    const matching = loadedOf(query, state, all, now).filter(
      (conversation) =>
        (window === null || hasWindow(conversation, window, now)) && (words === "" || matches(conversation, words)),
    );
    return { sections: sectionsOf(view, matching, now), loaded: matching.length };
  }, [book, query, state, view, window, search, now]);
  return { query, state, sections, loaded, book, now };
}

/** How many wait for a reply: exact up to 200, then `200+`. */
export function useNeedsReplyCount(): string {
  const { inbox } = useWorkspace();
  const book = useInbox(selectBook);
  const lists = useInbox(selectLists);
  useEffect(() => void inbox.loadList(everyone), [inbox]);
  const count = countOf(book);
  const isMore = (lists.get(listKey(everyone))?.next ?? null) !== null;
  return count > COUNTED_MAX || isMore ? `${COUNTED_MAX}+` : String(count);
}

/** The count is shown in several places of the page: each book is counted once. */
const counts = new WeakMap<InboxState["book"], number>();

function countOf(book: InboxState["book"]): number {
  let count = counts.get(book);
  if (count === undefined) {
    count = 0;
    for (const { conversation } of book.known.values()) if (belongsTo(everyone, conversation)) count += 1;
    counts.set(book, count);
  }
  return count;
}

const everyone: ListQuery = { view: "needs-reply", platform: null, accountKey: null };

function hasWindow(conversation: Conversation, wanted: NonNullable<ListChoice["window"]>, now: number): boolean {
  const { state } = windowOf(conversation, now);
  if (wanted === "open") return state === "open" || state === "closing";
  return wanted === "closed" ? state === "closed" || state === "none" : state === wanted;
}

function matches(conversation: Conversation, words: string): boolean {
  const texts = [personName(conversation), personHandle(conversation), conversation.last_message_text];
  return texts.some((text) => printableText(text).toLocaleLowerCase().includes(words));
}
