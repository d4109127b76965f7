import { useMemo } from "react";
import { belongsTo, isComplete } from "../data/inbox-lists.ts";
import type { InboxState } from "../data/live-inbox.ts";
import { useInbox, useServerTime } from "../data/workspace.tsx";
import { everyone, selectEveryone } from "../inbox/list/use-list.ts";
import { summarizeWaiting, type Waiting } from "./waiting.ts";

/** Who waits for a reply now, and how much of that is known. */
export interface WaitingNow extends Waiting {
  readonly isLoaded: boolean;
  /** Whether all who wait are loaded. */
  readonly isComplete: boolean;
  /** Why they could not be loaded; null when they were. */
  readonly error: unknown;
  /** The server's time of the summary, in epoch milliseconds. */
  readonly now: number;
}

const selectBook = ({ book }: InboxState) => book;

/** The same people whom the rail counts. */
export function useWaiting(): WaitingNow {
  const book = useInbox(selectBook);
  const list = useInbox(selectEveryone);
  const now = useServerTime();
  return useMemo(() => {
    const waiting = [...book.known.values()]
      .map(({ conversation }) => conversation)
      .filter((conversation) => belongsTo(everyone, conversation));
    return {
      ...summarizeWaiting(waiting, now),
      isLoaded: list.status === "ready",
      isComplete: isComplete(list),
      error: list.error,
      now,
    };
  }, [book, list, now]);
}
