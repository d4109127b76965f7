import { useMemo, useSyncExternalStore } from "react";
import type { LiveInbox } from "../../data/live-inbox.ts";
import { messagesOf } from "../../data/message-book.ts";
import type { Conversation, Message } from "../../data/types.ts";
import { useServerTime, useThread, useWorkspace } from "../../data/workspace.tsx";
import { type Chip, ComposerStore } from "./composer-store.ts";
import { onDraftsChange, quoteOf } from "./drafts.ts";
import type { Send } from "./sends.ts";

const stores = new WeakMap<LiveInbox, ComposerStore>();
const noChips: readonly Chip[] = [];

/** The store of the open workspace. */
export function useComposerStore(): ComposerStore {
  const { inbox, person } = useWorkspace();
  let store = stores.get(inbox);
  if (store === undefined) {
    store = new ComposerStore(inbox, person.actorId);
    stores.set(inbox, store);
  }
  return store;
}

export function useSends(): readonly Send[] {
  const store = useComposerStore();
  return useSyncExternalStore(store.subscribe, () => store.getState().sends);
}

export function useChips(conversation: string): readonly Chip[] {
  const store = useComposerStore();
  return useSyncExternalStore(store.subscribe, () => store.getState().chips.get(conversation) ?? noChips);
}

/** The id of the message that is replied to; null for none. */
export function useQuote(conversation: string): string | null {
  return useSyncExternalStore(onDraftsChange, () => quoteOf(conversation));
}

/** A message of a thread; null when it is not loaded. */
export function useMessage(conversation: string, id: string | null): Message | null {
  const thread = useThread(conversation);
  return useMemo(() => {
    const messages = thread === null || id === null ? [] : messagesOf(thread.book);
    return messages.find((message) => message.id === id) ?? null;
  }, [thread, id]);
}

/** Whether a message that somebody else typed waits for its check. */
export function useHeldElsewhere(conversation: Conversation): boolean {
  const store = useComposerStore();
  // A hold also ends by time.
  useServerTime();
  return useSyncExternalStore(store.subscribe, () => store.isHeldElsewhere(conversation));
}
