import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { emptyThread, messagesOf } from "../../data/message-book.ts";
import { millis } from "../../data/types.ts";
import { useStream, useThread, useWorkspace } from "../../data/workspace.tsx";
import { type Look, threadItems } from "./items.ts";
import { markSeen, seenUntil } from "./seen.ts";

/** A window that comes to the front again within this time fetches nothing: a person changes between two often. */
const FRESH_MS = 5_000;

/** A thread with its items. It is fetched when it is opened, at each hello, and when the page is looked at again. */
export function useThreadItems(id: string) {
  const { inbox } = useWorkspace();
  const thread = useThread(id);
  const stream = useStream();
  const [look, setLook] = useState(() => newLook(id));
  const fetchedAt = useRef(0);
  const fetch = useCallback(async () => {
    fetchedAt.current = Date.now();
    await inbox.openThread(id);
    const { threads } = inbox.getState();
    const newest = messagesOf(threads.get(id)?.book ?? emptyThread(id)).at(-1);
    setLook((before) =>
      before?.cameAt === null ? { ...before, cameAt: newest ? millis(newest.sent_at) : 0 } : before,
    );
  }, [inbox, id]);
  useEffect(() => {
    void fetch();
    const onVisible = () => {
      if (document.visibilityState !== "visible") return;
      setLook(newLook(id));
      void fetch();
    };
    const onFocus = () => {
      if (Date.now() - fetchedAt.current > FRESH_MS) void fetch();
    };
    const again = () => void fetch();
    document.addEventListener("visibilitychange", onVisible);
    addEventListener("focus", onFocus);
    addEventListener("parley:signed-in", again);
    return () => {
      document.removeEventListener("visibilitychange", onVisible);
      removeEventListener("focus", onFocus);
      removeEventListener("parley:signed-in", again);
    };
  }, [fetch, id]);
  const openedAt = useRef(stream.since);
  useEffect(() => {
    if (stream.state !== "open" || stream.since === openedAt.current) return;
    openedAt.current = stream.since;
    void fetch();
  }, [fetch, stream]);
  const messages = useMemo(() => (thread ? messagesOf(thread.book) : []), [thread]);
  const items = useMemo(() => threadItems(messages, look), [messages, look]);
  const newest = messages.at(-1);
  // What came while the page was hidden is seen once it is looked at again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  useEffect(() => {
    if (newest && document.visibilityState === "visible") markSeen(id, millis(newest.sent_at));
  }, [id, newest, look]);
  return { thread, messages, items };
}

/** Null when this browser never saw the conversation. */
function newLook(id: string): Look | null {
  const seen = seenUntil(id);
  return seen === null ? null : { seenUntil: seen, cameAt: null };
}
