import { useState } from "react";
import { useLocation } from "wouter";
import { printableText } from "../../../../packages/client/src/printable.ts";
import { useNotices } from "../../common/notices.tsx";
import { problemLine } from "../../common/problems.ts";
import { useOneAtATime } from "../../common/use-one-at-a-time.ts";
import { messagesOf } from "../../data/message-book.ts";
import { personHandle, personName } from "../../data/names.ts";
import type { Conversation } from "../../data/types.ts";
import { useThread, useWorkspace } from "../../data/workspace.tsx";
import { inboxPath } from "../../paths.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { removeDraft } from "../composer/drafts.ts";
import { forgetSeen } from "../thread/seen.ts";
import { texts } from "./texts.ts";

/** Erases everything of a conversation, after its person's handle was typed. */
export function EraseDialog({ conversation, onClose }: { conversation: Conversation; onClose: () => void }) {
  const { inbox, parley, tenant } = useWorkspace();
  const { show } = useNotices();
  const [, navigate] = useLocation();
  const thread = useThread(conversation.id);
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState("");
  const { isBusy, run } = useOneAtATime();
  const handle = printableText(personHandle(conversation) || personName(conversation)).trim();
  const isMatch = typed.trim().replace(/^@/, "") === handle;
  const messages = thread ? messagesOf(thread.book) : [];
  const files = messages.reduce((sum, { attachments }) => sum + attachments.length, 0);
  const isMore = thread?.status !== "ready" || thread.older !== null;
  const count = texts.counts({ messages: messages.length, files, isMore });

  const erase = async () => {
    if (!isMatch) return;
    try {
      const result = await parley.conversations.erase(conversation.id);
      removeDraft(conversation.id);
      forgetSeen(conversation.id);
      navigate(inboxPath(tenant));
      inbox.forget(conversation.id);
      show({ text: result.done ? texts.erased(result.removed.messages) : texts.erasing });
    } catch (error) {
      setProblem(problemLine(error));
    }
  };

  return (
    <Dialog title={texts.eraseTitle} onClose={onClose}>
      <form
        className="erase-form"
        onSubmit={(event) => {
          event.preventDefault();
          void run(erase);
        }}
      >
        <p>{texts.eraseText(printableText(personName(conversation)), count)}</p>
        <label>
          <span>{texts.typeHandle(handle)}</span>
          <input
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
          />
        </label>
        <p role="alert" className="problem">
          {problem}
        </p>
        <div className="acts">
          <button type="button" className="btn" onClick={onClose}>
            {texts.cancel}
          </button>
          <button type="submit" className="btn danger" aria-disabled={!isMatch || isBusy}>
            {texts.confirm}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
