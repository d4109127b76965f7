import { CornerDownLeft, Paperclip, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { printableText } from "../../../../packages/client/src/printable.ts";
import { useKeys } from "../../common/keys.tsx";
import { modifier } from "../../common/modifier.ts";
import { useNotices } from "../../common/notices.tsx";
import { personName } from "../../data/names.ts";
import type { Conversation, Message } from "../../data/types.ts";
import { windowOf } from "../../data/window.ts";
import { useServerTime, useWorkspace } from "../../data/workspace.tsx";
import { signalWriting } from "../../presence/writing-signal.ts";
import { AnswerAlert } from "../colleague-answer.tsx";
import { openNextConversation } from "../next-conversation.ts";
import { attachFiles } from "./attach.ts";
import { ClosedCard } from "./closed-card.tsx";
import { isWaiting, readyFiles } from "./composer-store.ts";
import { Emoji } from "./emoji.tsx";
import { RuleLine, WindowBar } from "./rule-line.tsx";
import { textUse } from "./text-limit.ts";
import { texts } from "./texts.ts";
import { Tray } from "./tray.tsx";
import { useChips, useComposerStore, useMessage, useQuote } from "./use-composer.ts";
import { useDraft } from "./use-draft.ts";
import "./composer.css";

interface ComposerProps {
  readonly conversation: Conversation;
}

/** Where an answer is written. What may be sent follows the messaging window, by the server's clock. */
export function Composer({ conversation }: ComposerProps) {
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
      <WritingBox conversation={conversation} mode={mode} draft={draft}>
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

function WritingBox({ conversation, mode, draft, children }: WritingBoxProps) {
  const { person } = useWorkspace();
  const { show } = useNotices();
  const store = useComposerStore();
  const chips = useChips(conversation.id);
  const quote = useQuote(conversation.id);
  const quoted = useMessage(conversation.id, quote);
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const [stopped, setStopped] = useState<Message | null>(null);
  const target = { store, conversation: conversation.id, platform: conversation.platform };
  const name = printableText(personName(conversation));
  const use = textUse(conversation.platform, draft.text);
  const ready = readyFiles(chips);
  const isUploading = chips.some(isWaiting);
  const isEmpty = draft.text.trim() === "" && ready.length === 0;
  const problem = use.isOver ? texts.tooLong : isUploading ? texts.waitForUpload : isEmpty ? texts.nothing : null;

  const isStopped = stopped !== null && (draft.text !== "" || chips.length > 0);

  useKeys([{ key: "r", run: () => field.current?.focus(), label: texts.focusKey, group: "Conversation" }]);
  useEffect(() => {
    const focus = () => field.current?.focus();
    addEventListener("parley:focus-composer", focus);
    return () => removeEventListener("parley:focus-composer", focus);
  }, []);
  useGrowingField(field, draft.text);

  /** @param isNext whether the next conversation is opened then; a held message first needs its second press */
  const send = (isNext = false) => {
    if (problem !== null) {
      if (!isEmpty) show({ text: problem, kind: "problem" });
      return;
    }
    const unseen = store.answerSinceWriting(conversation.id, draft.startedAt);
    if (unseen !== null) {
      // The next press sends.
      store.beginWriting(conversation.id);
      return setStopped(unseen);
    }
    const text = draft.text.trim();
    draft.clear();
    signalWriting(conversation.id, false);
    const files = store.takeFiles(conversation.id);
    store.setQuote(conversation.id, null);
    setStopped(null);
    void store.begin({ conversation: conversation.id, mode, text, files, replyTo: quote });
    field.current?.focus();
    if (isNext && mode === "reply") openNextConversation({ from: conversation.id, isWriting: true });
  };

  const write = (text: string) => {
    if (draft.text === "" && chips.length === 0) store.beginWriting(conversation.id);
    draft.set(text);
    signalWriting(conversation.id, text !== "");
  };

  const insert = (emoji: string) => {
    const node = field.current;
    const start = node?.selectionStart ?? draft.text.length;
    const end = node?.selectionEnd ?? start;
    write(draft.text.slice(0, start) + emoji + draft.text.slice(end));
    requestAnimationFrame(() => {
      node?.focus();
      node?.setSelectionRange(start + emoji.length, start + emoji.length);
    });
  };

  return (
    <div className="box">
      {children}
      {quote === null ? null : <QuoteLine message={quoted} onRemove={() => store.setQuote(conversation.id, null)} />}
      <Tray target={target} chips={chips} />
      <AnswerAlert answer={isStopped ? stopped : null} />
      <textarea
        ref={field}
        dir="auto"
        rows={2}
        aria-label={mode === "reply" ? texts.replyTo(name) : texts.asPersonTo(name)}
        placeholder={
          mode === "reply" ? texts.placeholderReply(name) : texts.placeholderPerson(printableText(person.name))
        }
        value={draft.text}
        onChange={(event) => write(event.currentTarget.value)}
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
            send(event.shiftKey);
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
          onClick={() => send()}
        >
          {isStopped ? texts.sendAnyway : mode === "person" ? texts.hold : texts.send}{" "}
          <kbd>
            {modifier} <CornerDownLeft size={11} aria-hidden="true" />
          </kbd>
        </button>
      </div>
    </div>
  );
}

function QuoteLine({ message, onRemove }: { message: Message | null; onRemove: () => void }) {
  return (
    <div className="reply-line">
      <span className="quote">
        <span>{texts.quoted}</span>
        <span dir="auto" className="quote-text">
          {message === null ? texts.quotedGone : printableText(message.text) || texts.picture}
        </span>
      </span>
      <button type="button" className="icon" aria-label={texts.removeQuote} onClick={onRemove}>
        <X size={16} />
      </button>
    </div>
  );
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
