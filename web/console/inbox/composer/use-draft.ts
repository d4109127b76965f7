import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useWorkspace } from "../../data/workspace.tsx";
import { beforeTextIsAdded, fullDraftOf, onDraftsChange, setDraft, type UnfinishedSend } from "./drafts.ts";

const SAVED_AFTER_MS = 300;
const noSends: readonly UnfinishedSend[] = [];

/**
 * The draft of a conversation. It is stored 300 ms after each change, and when the page is left. A change in another tab
 * shows here while this person does not write here.
 */
export function useDraft(conversationId: string) {
  const { clock } = useWorkspace();
  const stored = useSyncExternalStore(onDraftsChange, () => fullDraftOf(conversationId));
  const [local, setLocal] = useState<{ text: string; startedAt: number } | null>(null);
  const unsaved = useRef(local);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const flush = useCallback(() => {
    clearTimeout(timer.current);
    if (unsaved.current === null) return;
    setDraft(conversationId, unsaved.current);
    unsaved.current = null;
    setLocal(null);
  }, [conversationId]);
  useEffect(() => {
    const end = beforeTextIsAdded(flush);
    addEventListener("pagehide", flush);
    return () => {
      end();
      removeEventListener("pagehide", flush);
      flush();
    };
  }, [flush]);
  const shown = local ?? stored;
  const text = shown?.text ?? "";
  const set = (next: string) => {
    const startedAt = text === "" ? clock.now() : (shown?.startedAt ?? clock.now());
    unsaved.current = { text: next, startedAt };
    setLocal(unsaved.current);
    clearTimeout(timer.current);
    timer.current = setTimeout(flush, SAVED_AFTER_MS);
  };
  const clear = () => {
    unsaved.current = { text: "", startedAt: clock.now() };
    flush();
  };
  const { unfinished = noSends } = stored ?? {};
  /** `startedAt`: when the person began to write, in epoch milliseconds of the server; null without a text. */
  return { text, startedAt: text === "" ? null : (shown?.startedAt ?? null), unfinished, set, clear };
}
