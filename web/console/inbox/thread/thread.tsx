import { Check, ChevronLeft, MessagesSquare, PanelRight } from "lucide-react";
import { useCallback } from "react";
import { Link } from "wouter";
import { printableText } from "../../../../packages/client/src/printable.ts";
import { useKeys } from "../../common/keys.tsx";
import { personHandle, personName, platformName } from "../../data/names.ts";
import type { Conversation, Message } from "../../data/types.ts";
import { useConversation, useWorkspace } from "../../data/workspace.tsx";
import { inboxPath } from "../../paths.ts";
import { HeadColleagues, useColleagues, Words } from "../../presence/colleagues.tsx";
import { Face } from "../../ui/avatar.tsx";
import { Composer } from "../composer/composer.tsx";
import { useComposerStore } from "../composer/use-composer.ts";
import { MessageScroll } from "./message-scroll.tsx";
import { texts } from "./texts.ts";
import { useDone } from "./use-done.ts";
import { useFileDrop } from "./use-file-drop.ts";
import { useThreadItems } from "./use-thread.ts";
import "./thread.css";

interface ThreadProps {
  readonly id: string;
  readonly isPersonOpen: boolean;
  readonly onPerson: () => void;
}

/** The open conversation: its head, its messages and its composer. */
export function Thread({ id, isPersonOpen, onPerson }: ThreadProps) {
  const conversation = useConversation(id);
  const loaded = useThreadItems(id);
  const store = useComposerStore();
  const drop = useFileDrop(conversation);
  const reply = useCallback((message: Message) => store.setQuote(id, message.id), [store, id]);
  return (
    <section
      className={drop.isOver ? "thread dropping" : "thread"}
      aria-label={texts.messages}
      tabIndex={-1}
      {...drop.handlers}
    >
      <Head id={id} conversation={conversation} isPersonOpen={isPersonOpen} onPerson={onPerson} />
      <MessageScroll id={id} conversation={conversation} {...loaded} onReply={reply} />
      {conversation && loaded.thread?.status !== "missing" ? <Composer conversation={conversation} /> : null}
    </section>
  );
}

type HeadProps = ThreadProps & { readonly conversation: Conversation | null };

function Head({ id, conversation, isPersonOpen, onPerson }: HeadProps) {
  const { tenant } = useWorkspace();
  const colleagues = useColleagues(id);
  const { setDone } = useDone();
  const isDone = conversation?.done_at !== null && conversation?.needs_reply === false && conversation.unanswered;
  const toggle = () => {
    if (conversation?.unanswered) void setDone(conversation, !isDone);
  };
  useKeys([
    ...(conversation?.unanswered ? [{ key: "e", run: toggle, label: "Done", group: "Conversation" }] : []),
    { key: "p", run: onPerson, label: "About this person", group: "Conversation" },
  ]);
  const name = conversation === null ? "" : printableText(personName(conversation));
  return (
    <header className="thread-head">
      <Link className="icon back" href={inboxPath(tenant)} aria-label={texts.back}>
        <ChevronLeft size={24} />
      </Link>
      {conversation === null ? null : (
        <>
          <Face name={name} id={conversation.participant_id} size={34} picture={conversation.participant_picture} />
          <div className="who-line">
            <h2 dir="auto">{name}</h2>
            <p>
              {personHandle(conversation) === "" ? null : (
                <>
                  <bdi>@{printableText(personHandle(conversation))}</bdi> ·{" "}
                </>
              )}
              {platformName(conversation.platform)} · {texts.to(printableText(conversation.account_handle))}
            </p>
            {colleagues.length === 0 ? null : (
              <p className="instead">
                <Words colleagues={colleagues} />
              </p>
            )}
          </div>
          <span className="push" />
          {colleagues.length === 0 ? null : <HeadColleagues colleagues={colleagues} />}
          {conversation.unanswered ? (
            <button type="button" className="btn done" aria-pressed={isDone} onClick={toggle}>
              <Check size={16} aria-hidden="true" />
              <span className="words">{texts.done}</span> <kbd>E</kbd>
            </button>
          ) : null}
          <button
            type="button"
            className="icon"
            aria-label={texts.person}
            aria-expanded={isPersonOpen}
            title={`${texts.person} (p)`}
            onClick={onPerson}
          >
            <PanelRight size={18} />
          </button>
        </>
      )}
    </header>
  );
}

/** What stands in the place of a thread while none is open. */
export function NoThread() {
  return (
    <section className="thread" aria-label={texts.messages}>
      <div className="none">
        <MessagesSquare size={56} strokeWidth={1.2} aria-hidden="true" />
        <h2>{texts.choose}</h2>
        <p className="keys">
          <kbd>J</kbd> <kbd>K</kbd> moves, <kbd>Enter</kbd> opens, <kbd>?</kbd> shows all keys.
        </p>
      </div>
    </section>
  );
}
