import { useEffect, useMemo, useRef, useState } from "react";
import { messagesOf } from "../../data/message-book.ts";
import { millis } from "../../data/types.ts";
import { useStream, useThread, useWorkspace } from "../../data/workspace.tsx";
import { threadItems } from "./items.ts";
import { markSeen, seenUntil } from "./seen.ts";

/** A thread with its items. It is fetched when it is opened, at each hello, and when the page is looked at again. */
export function useThreadItems(id: string) {
  const { inbox } = useWorkspace();
  const thread = useThread(id);
  const stream = useStream();
  const [seen] = useState(() => seenUntil(id));
  useEffect(() => {
    void inbox.openThread(id);
    const again = () => {
      if (document.visibilityState === "visible") void inbox.openThread(id);
    };
    document.addEventListener("visibilitychange", again);
    addEventListener("parley:signed-in", again);
    return () => {
      document.removeEventListener("visibilitychange", again);
      removeEventListener("parley:signed-in", again);
    };
  }, [inbox, id]);
  const openedAt = useRef(stream.since);
  useEffect(() => {
    if (stream.state !== "open" || stream.since === openedAt.current) return;
    openedAt.current = stream.since;
    void inbox.openThread(id);
  }, [inbox, id, stream]);
  const messages = useMemo(() => (thread ? messagesOf(thread.book) : []), [thread]);
  const items = useMemo(() => threadItems(messages, seen), [messages, seen]);
  const newest = messages.at(-1);
  useEffect(() => {
    if (newest && document.visibilityState === "visible") markSeen(id, millis(newest.sent_at));
  }, [id, newest]);
  return { thread, messages, items };
}
