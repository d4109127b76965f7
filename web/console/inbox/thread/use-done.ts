import { useCallback } from "react";
import { useNotices } from "../../common/notices.tsx";
import { problemLine } from "../../common/problems.ts";
import type { Conversation } from "../../data/types.ts";
import { useWorkspace } from "../../data/workspace.tsx";
import { texts } from "./texts.ts";

/** Marks a conversation as done, with an undo, or as one that needs a reply again. */
export function useDone(): (conversation: Conversation, done: boolean) => Promise<void> {
  const { inbox, parley, clock } = useWorkspace();
  const { show } = useNotices();
  return useCallback(
    async function setDone(conversation: Conversation, done: boolean): Promise<void> {
      const startedAt = clock.now();
      try {
        const result = await parley.conversations.update(conversation.id, { done });
        inbox.mergeConversation(result.conversation, startedAt);
        show({
          text: done ? texts.markedDone : texts.undone,
          ...(done ? { action: { label: texts.undo, run: () => void setDone(conversation, false) } } : {}),
        });
      } catch (error) {
        show({ text: problemLine(error), kind: "problem" });
      }
    },
    [inbox, parley, clock, show],
  );
}
