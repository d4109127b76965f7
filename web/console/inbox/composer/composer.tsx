import { Paperclip, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { printableText } from "../../../../packages/client/src/printable.ts";
import { useKeys } from "../../common/keys.tsx";
import { useNotices } from "../../common/notices.tsx";
import { usePeople } from "../../common/people.ts";
import { timeOfDay } from "../../common/times.ts";
import { messagesOf } from "../../data/message-book.ts";
import { personName, platformName } from "../../data/names.ts";
import type { Conversation, Message } from "../../data/types.ts";
import { millis } from "../../data/types.ts";
import { windowOf } from "../../data/window.ts";
import { useServerTime, useThread, useWorkspace } from "../../data/workspace.tsx";
import { attachFiles } from "./attach.ts";
import { ClosedCard } from "./closed-card.tsx";
import { isWaiting, readyFiles } from "./composer-store.ts";
import { Emoji } from "./emoji.tsx";
import { RuleLine, WindowBar } from "./rule-line.tsx";
import { colleagueAnswer } from "./sends.ts";
import { textUse } from "./text-limit.ts";
import { texts } from "./texts.ts";
import { Tray } from "./tray.tsx";
import { useChips, useComposerStore } from "./use-composer.ts";
import { useDraft } from "./use-draft.ts";
import "./composer.css";

interface ComposerProps {
  readonly conversation: Conversation;
  readonly replyTo: Message | null;
  readonly onReplyToChange: (message: Message | null) => void;
}

/** Where an answer is written. What may be sent follows the messaging window, by the server's clock. */
export function Composer({ conversation, replyTo, onReplyToChange }: ComposerProps) {
  const now = useServerTime(5_000);
  const window = windowOf(conversation, now);
  const store = useComposerStore();
  const draft = useDraft(conversation.id);
  const { unfinished } = draft;
  useEffect(() => store.resume(conversation.id, unfinished), [unfinished, store, conversation.id]);
  if (window.state === "closed" || window.state === "none") {
    return (
      <footer className="foot shut">
        <ClosedCard conversation={conversation} draft={draft.text} />
      </footer>
    );
  }
  const mode = window.state === "person" ? "person" : "reply";
  return (
    <footer className={mode === "person" ? "foot person" : "foot"}>
      <RuleLine window={window} now={now} />
      <WritingBox
        conversation={conversation}
        mode={mode}
        draft={draft}
        replyTo={replyTo}
        onReplyToChange={onReplyToChange}
      >
        <WindowBar window={window} />
      </WritingBox>
    </footer>
  );
}

interface WritingBoxProps extends ComposerProps {
  readonly mode: "reply" | "person";
  readonly draft: ReturnType<typeof useDraft>;
  readonly children: React.ReactNode;
}

function WritingBox({ conversation, mode, draft, replyTo, onReplyToChange, children }: WritingBoxProps) {
  const { person } = useWorkspace();
  const { show } = useNotices();
  const store = useComposerStore();
  const chips = useChips(conversation.id);
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const answer = useColleagueAnswer(conversation.id, draft.startedAt);
  const target = { store, conversation: conversation.id, platform: conversation.platform };
  const name = printableText(personName(conversation));
  const use = textUse(conversation.platform, draft.text);
  const ready = readyFiles(chips);
  const isUploading = chips.some(isWaiting);
  const isEmpty = draft.text.trim() === "" && ready.length === 0;
  const problem = use.isOver ? texts.tooLong : isUploading ? texts.waitForUpload : isEmpty ? texts.nothing : null;

  useKeys([{ key: "r", run: () => field.current?.focus(), label: texts.focusKey, group: "Conversation" }]);
  useEffect(() => {
    const focus = () => field.current?.focus();
    addEventListener("parley:focus-composer", focus);
    return () => removeEventListener("parley:focus-composer", focus);
  }, []);
  useGrowingField(field, draft.text);

  const send = () => {
    if (problem !== null) {
      if (!isEmpty) show({ text: problem, kind: "problem" });
      return;
    }
    if (answer.waiting) return answer.stop();
    const text = draft.text.trim();
    const replyId = replyTo?.id ?? null;
    draft.clear();
    const files = store.takeFiles(conversation.id);
    onReplyToChange(null);
    answer.reset();
    void store.begin({ conversation: conversation.id, mode, text, files, replyTo: replyId });
    field.current?.focus();
  };

  const insert = (emoji: string) => {
    const node = field.current;
    const start = node?.selectionStart ?? draft.text.length;
    const end = node?.selectionEnd ?? start;
    draft.set(draft.text.slice(0, start) + emoji + draft.text.slice(end));
    requestAnimationFrame(() => {
      node?.focus();
      node?.setSelectionRange(start + emoji.length, start + emoji.length);
    });
  };

  return (
    <div className="box">
      {children}
      {replyTo ? <QuoteLine message={replyTo} onRemove={() => onReplyToChange(null)} /> : null}
      <Tray target={target} chips={chips} />
      {answer.shown ? (
        <div className="colleague" role="alert">
          <span>{texts.colleague(answer.shown.name, timeOfDay(millis(answer.shown.message.sent_at)))}</span>
          <q dir="auto">{printableText(answer.shown.message.text).slice(0, 200)}</q>
        </div>
      ) : null}
      <textarea
        ref={field}
        dir="auto"
        rows={2}
        aria-label={mode === "reply" ? texts.replyTo(name) : texts.asPersonTo(name)}
        placeholder={
          mode === "reply" ? texts.placeholderReply(name) : texts.placeholderPerson(printableText(person.name))
        }
        value={draft.text}
        onChange={(event) => draft.set(event.currentTarget.value)}
        onPaste={(event) => {
          if (event.clipboardData.files.length === 0) return;
          event.preventDefault();
          attachFiles(target, [...event.clipboardData.files]);
        }}
        onKeyDown={(event) => {
          const { nativeEvent } = event;
          // A method that composes letters uses Enter itself.
          if (nativeEvent.isComposing || nativeEvent.keyCode === 229) return;
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            send();
          }
          if (event.key === "Escape") event.currentTarget.blur();
        }}
      />
      <div className="bar">
        <button
          type="button"
          className="icon"
          aria-label={texts.attach}
          title={texts.attach}
          onClick={() => picker.current?.click()}
        >
          <Paperclip size={18} />
        </button>
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          onChange={(event) => {
            attachFiles(target, [...(event.currentTarget.files ?? [])]);
            event.currentTarget.value = "";
          }}
        />
        <Emoji onPick={insert} />
        <span className={use.isOver ? "count over" : "count"} role="status">
          {use.isNear ? texts.count(use.used, use.max, use.unit) : ""}
        </span>
        <button
          type="button"
          className={mode === "person" ? "btn amber" : "btn first"}
          aria-disabled={problem !== null}
          title={problem ?? undefined}
          onClick={send}
        >
          {answer.shown ? texts.sendAnyway : mode === "person" ? texts.hold : texts.send} <kbd>Ctrl ↵</kbd>
        </button>
      </div>
    </div>
  );
}

function QuoteLine({ message, onRemove }: { message: Message; onRemove: () => void }) {
  return (
    <div className="reply-line">
      <span className="quote">
        <span>{texts.quoted}</span>
        <span dir="auto" className="quote-text">
          {printableText(message.text) || texts.picture}
        </span>
      </span>
      <button type="button" className="icon" aria-label={texts.removeQuote} onClick={onRemove}>
        <X size={16} />
      </button>
    </div>
  );
}

/** Stops a send once when a colleague has answered since the person began to write. */
function useColleagueAnswer(conversationId: string, startedAt: number | null) {
  const { person } = useWorkspace();
  const nameOf = usePeople();
  const thread = useThread(conversationId);
  const [acknowledged, setAcknowledged] = useState<Message | null>(null);
  const messages = thread && startedAt !== null ? messagesOf(thread.book) : [];
  const since = startedAt ?? Number.POSITIVE_INFINITY;
  const waiting = colleagueAnswer(messages, { actorId: person.actorId, since, acknowledged: acknowledged?.id ?? null });
  const shown = acknowledged && startedAt !== null ? acknowledged : null;
  return {
    waiting,
    /** The answer that stopped the send. */
    shown: shown && { message: shown, name: nameOf(shown.actor_id) ?? authorOf(shown) },
    stop: () => setAcknowledged(waiting),
    reset: () => setAcknowledged(null),
  };
}

function authorOf({ sent_via, platform }: Message): string {
  return sent_via === "native_app" ? platformName(platform) : texts.program;
}

/** The field grows with its text, up to a third of the window. */
function useGrowingField(field: React.RefObject<HTMLTextAreaElement | null>, text: string): void {
  useEffect(() => {
    const node = field.current;
    if (!node || text.length < 0) return;
    node.style.height = "auto";
    node.style.height = `${Math.min(node.scrollHeight, Math.round(innerHeight / 3))}px`;
  }, [field, text]);
}
