import { useEffect, useMemo } from "react";
import { emptyList, type ListQuery, listKey, loadedOf } from "../data/inbox-lists.ts";
import type { InboxState } from "../data/live-inbox.ts";
import type { Conversation } from "../data/types.ts";
import { useInbox, useWorkspace } from "../data/workspace.tsx";

const all: ListQuery = { view: "all", platform: null, accountKey: null };
const ALL_KEY = listKey(all);
const selectBook = ({ book }: InboxState) => book;
const selectList = ({ lists }: InboxState) => lists.get(ALL_KEY) ?? emptyList;

/** The newest conversations, which follow the stream; null until they are loaded. */
export function useNewest(): readonly Conversation[] | null {
  const { inbox, clock } = useWorkspace();
  const book = useInbox(selectBook);
  const list = useInbox(selectList);
  useEffect(() => inbox.show(all).hide, [inbox]);
  return useMemo(() => {
    if (list.status !== "ready") return null;
    return loadedOf(all, list, conversationsOf(book), clock.now());
  }, [book, list, clock]);
}

function conversationsOf(book: InboxState["book"]): Conversation[] {
  return [...book.known.values()].map(({ conversation }) => conversation);
}
