import { useEffect, useMemo } from "react";
import { printableText } from "../../../../packages/client/src/printable.ts";
import {
  belongsTo,
  COUNTED_MAX,
  countLabel,
  emptyList,
  isComplete,
  type ListQuery,
  listKey,
  loadedOf,
} from "../../data/inbox-lists.ts";
import type { InboxState } from "../../data/live-inbox.ts";
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
  useEffect(() => inbox.show(query).hide, [inbox, query]);
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

/** How many wait for a reply. While that is not known up to 200, such as `60+`, more of them are loaded. */
export function useNeedsReplyCount(): string {
  const { inbox } = useWorkspace();
  const book = useInbox(selectBook);
  const list = useInbox(selectEveryone);
  useEffect(() => inbox.show(everyone).hide, [inbox]);
  const count = countOf(book);
  const isShort = list.status === "ready" && list.next !== null && list.error === null && count < COUNTED_MAX;
  // A new state of the list is another page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  useEffect(() => {
    if (isShort) void inbox.loadMore(everyone);
  }, [inbox, list, isShort]);
  return countLabel(count, isComplete(list));
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

/** Who waits for a reply, of every account. The rail has it loaded. */
export const everyone: ListQuery = { view: "needs-reply", platform: null, accountKey: null };
const EVERYONE_KEY = listKey(everyone);
export const selectEveryone = ({ lists }: InboxState) => lists.get(EVERYONE_KEY) ?? emptyList;

function hasWindow(conversation: Conversation, wanted: NonNullable<ListChoice["window"]>, now: number): boolean {
  const { state } = windowOf(conversation, now);
  if (wanted === "open") return state === "open" || state === "closing";
  return wanted === "closed" ? state === "closed" || state === "none" : state === wanted;
}

function matches(conversation: Conversation, words: string): boolean {
  const texts = [personName(conversation), personHandle(conversation), conversation.last_message_text];
  return texts.some((text) => printableText(text).toLocaleLowerCase().includes(words));
}
