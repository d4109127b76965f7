import { useCallback } from "react";
import { useLocation } from "wouter";
import { useNotices } from "../../common/notices.tsx";
import { problemLine } from "../../common/problems.ts";
import type { Conversation } from "../../data/types.ts";
import { useWorkspace } from "../../data/workspace.tsx";
import { inboxPath } from "../../paths.ts";
import { focusComposerSoon, openNextConversation } from "../next-conversation.ts";
import { texts } from "./texts.ts";
import { dropUndo, pushUndo, takeUndo } from "./undo.ts";

/**
 * Marks a conversation as done, or as one that needs a reply again. Done opens the next conversation that needs a reply. Its
 * undo opens this one again; `undoLast` undoes the newest Done that is left, and before that the one before.
 */
export function useDone() {
  const { inbox, parley, tenant } = useWorkspace();
  const { show } = useNotices();
  const [, navigate] = useLocation();
  const set = useCallback(
    async (id: string, done: boolean): Promise<boolean> => {
      const startedAt = inbox.writeStart(id);
      try {
        const result = await parley.conversations.update(id, { done });
        inbox.mergeConversation(result.conversation, startedAt);
        return true;
      } catch (error) {
        show({ text: problemLine(error), kind: "problem" });
        return false;
      }
    },
    [inbox, parley, show],
  );
  const undo = useCallback(
    async (id: string) => {
      navigate(inboxPath(tenant, id));
      if (await set(id, false)) show({ text: texts.undone });
      else pushUndo(tenant, id);
    },
    [navigate, tenant, set, show],
  );
  const setDone = useCallback(
    async ({ id }: Conversation, done: boolean) => {
      dropUndo(tenant, id);
      if (!(await set(id, done))) return;
      if (!done) return show({ text: texts.undone });
      pushUndo(tenant, id);
      const run = () => {
        dropUndo(tenant, id);
        void undo(id);
        if (matchMedia("(hover: hover)").matches) focusComposerSoon();
      };
      show({ text: texts.markedDone, action: { label: texts.undo, run } });
      openNextConversation({ from: id, isWriting: document.activeElement?.matches("textarea") ?? false });
    },
    [tenant, set, undo, show],
  );
  const undoLast = useCallback(() => {
    const id = takeUndo(tenant);
    if (id !== null) void undo(id);
  }, [tenant, undo]);
  return { setDone, undoLast };
}
