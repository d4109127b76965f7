import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { printableText } from "../../../../packages/client/src/printable.ts";
import { timeOfDay } from "../../common/times.ts";
import { messagesOf } from "../../data/message-book.ts";
import { personName, platformName } from "../../data/names.ts";
import type { Conversation } from "../../data/types.ts";
import { useThread, useWorkspace } from "../../data/workspace.tsx";
import { Text } from "../../ui/text.tsx";
import { AnswerAlert, useColleagueStop } from "../colleague-answer.tsx";
import { passCheck } from "./hold-check.ts";
import { checkTimeLeft, type Send, stateAfterHold, unshownSends } from "./sends.ts";
import { texts } from "./texts.ts";
import { useComposerStore, useHeldElsewhere, useSends } from "./use-composer.ts";

/** The messages of this person that the thread does not show yet, at its end. */
export function Outgoing({ conversation }: { conversation: Conversation }) {
  const { person } = useWorkspace();
  const store = useComposerStore();
  const sends = useSends();
  const thread = useThread(conversation.id);
  const ownSends = sends.filter((send) => send.conversation === conversation.id);
  const messages = thread && ownSends.length > 0 ? messagesOf(thread.book) : [];
  const unshown = unshownSends(ownSends, messages, person.actorId);
  const arrived = ownSends
    .filter((send) => send.state.kind === "unknown" && !unshown.includes(send))
    .map(({ key }) => key);
  useEffect(() => {
    for (const key of arrived) store.remove(key);
  });
  const isHeldElsewhere = useHeldElsewhere(conversation);
  return (
    <>
      {isHeldElsewhere ? (
        <p className="held-elsewhere" role="status">
          {texts.held.elsewhere}
        </p>
      ) : null}
      {unshown.map((send) => (
        <OutgoingBubble key={send.key} send={send} conversation={conversation} />
      ))}
    </>
  );
}

function OutgoingBubble({ send, conversation }: { send: Send; conversation: Conversation }) {
  const { state } = send;
  const bubble = useRef<HTMLDivElement>(null);
  useFocusStays(bubble, state.kind);
  const kind = state.kind === "held" ? "held" : state.kind === "failed" ? "failed" : "";
  return (
    <div ref={bubble} tabIndex={-1} className={`m out lead last ${kind}`} data-send={send.state.kind}>
      <div className="line">
        <div className="stack">
          {send.files.length > 0 ? <Files send={send} /> : null}
          {send.text === "" ? null : (
            <div className="bub">
              <Text text={send.text} />
            </div>
          )}
        </div>
      </div>
      {state.kind === "held" ? <CheckCard send={send} conversation={conversation} /> : <SendMeta send={send} />}
    </div>
  );
}

/** A press on a button of a bubble removes the button: the focus stays on the bubble, and after that goes to the composer. */
function useFocusStays(bubble: RefObject<HTMLDivElement | null>, state: string): void {
  const hadFocus = useRef(false);
  useEffect(() => {
    const node = bubble.current;
    const note = () => {
      hadFocus.current = node?.contains(document.activeElement) ?? false;
    };
    document.addEventListener("focusin", note);
    return () => document.removeEventListener("focusin", note);
  }, [bubble]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each state has other buttons
  useLayoutEffect(() => {
    if (hadFocus.current && document.activeElement === document.body) bubble.current?.focus({ preventScroll: true });
  }, [bubble, state]);
  useLayoutEffect(() => {
    const node = bubble.current;
    return () => {
      const active = document.activeElement;
      if (hadFocus.current && (active === document.body || node?.contains(active)))
        dispatchEvent(new Event("parley:focus-composer"));
    };
  }, [bubble]);
}

function Files({ send }: { send: Send }) {
  return (
    <div className={send.files.length === 1 ? "pics one" : "pics"}>
      {send.files.map(({ attachmentId, preview, name }) =>
        preview === null ? (
          <span className="file-line" key={attachmentId} dir="auto">
            {printableText(name)}
          </span>
        ) : (
          <span className="pic" key={attachmentId}>
            <img src={preview} alt={printableText(name)} />
          </span>
        ),
      )}
    </div>
  );
}

function SendMeta({ send }: { send: Send }) {
  const store = useComposerStore();
  const { state } = send;
  const stop = useColleagueStop(send);
  const again = () => {
    if (!stop.isStopped()) void store.repeat(send.key);
  };
  const words = texts.sends;
  switch (state.kind) {
    case "held":
      return null;
    case "sending":
    case "sent":
      return (
        <div className="meta" role="status">
          <span>{timeOfDay(send.at)}</span>
          <span>{state.kind === "sent" ? words.sent : words.sending}</span>
        </div>
      );
    case "unknown":
      return (
        <div className="meta wrap" role="alert">
          <span className="reason">{words.unknown}</span> <span className="plain">{words.unknownText}</span>{" "}
          <button type="button" className="link" onClick={again}>
            {words.checkAgain}
          </button>
          <button type="button" className="link" onClick={() => store.remove(send.key)}>
            {words.dismiss}
          </button>
          <AnswerAlert answer={stop.answer} />
        </div>
      );
    case "failed":
      return (
        <div className="meta wrap" role="alert">
          <span className="reason">
            {words.failed} {texts.reasons[state.code] ?? texts.otherReason}
          </span>
          {state.detail === "" || state.code !== "send_failed" ? null : (
            <span className="plain" dir="auto">
              {words.platformSays(printableText(state.detail))}
            </span>
          )}{" "}
          {state.code === "hold_expired" ? null : (
            <button type="button" className="link" onClick={again}>
              {words.sendAgain}
            </button>
          )}
          <EditButton send={send} />
          <AnswerAlert answer={stop.answer} />
        </div>
      );
  }
}

/** Puts a send back into the composer. */
function EditButton({ send }: { send: Send }) {
  const store = useComposerStore();
  const edit = () => {
    store.putBack(send);
    dispatchEvent(new Event("parley:focus-composer"));
  };
  return (
    <button type="button" className="link" onClick={edit}>
      {texts.sends.edit}
    </button>
  );
}

type Check =
  | { readonly kind: "idle" }
  | { readonly kind: "running"; readonly progress: number }
  | { readonly kind: "said"; readonly text: string };

/** The second press: the person reads the message again and sends it. The check runs in this page. */
function CheckCard({ send, conversation }: { send: Send; conversation: Conversation }) {
  const { person, clock } = useWorkspace();
  const store = useComposerStore();
  const [check, setCheck] = useState<Check>({ kind: "idle" });
  const stop = useColleagueStop(send);
  const left = useCountdown(send.state.kind === "held" ? send.state.endsAt : 0, () => clock.now());
  if (send.state.kind !== "held") return null;
  const { state } = send;
  const isOver = left <= 0;
  const pass = async () => {
    if (check.kind === "running" || isOver || stop.isStopped()) return;
    setCheck({ kind: "running", progress: 0 });
    const end = await passCheck(
      state,
      () => store.isHeld(send.key),
      (progress) => setCheck({ kind: "running", progress }),
    );
    if (end.kind === "wait") return setCheck({ kind: "said", text: texts.held.waitSeconds(end.seconds) });
    if (end.kind === "failed") return setCheck({ kind: "said", text: texts.held.failed });
    if (end.kind === "unknown") return store.update(send.key, { kind: "unknown" });
    if (end.status === "sent" || end.status === "sending") {
      // The message or the frame of the hold follows and names its id.
      return store.update(send.key, { kind: "sending" });
    }
    if (end.status === "expired") return store.update(send.key, { kind: "failed", code: "hold_expired", detail: "" });
    store.update(send.key, stateAfterHold(end.code || "send_failed", end.detail));
  };
  const words = texts.held;
  return (
    <div className="check-card">
      <b>{words.title}</b>
      <p>{words.text(printableText(personName(conversation)), platformName(conversation.platform))}</p>
      <AnswerAlert answer={stop.answer} />
      <p role="status">{isOver ? words.expired : check.kind === "said" ? check.text : ""}</p>
      <div className="acts">
        {isOver ? null : (
          <button
            type="button"
            className="btn amber"
            aria-disabled={check.kind === "running"}
            onClick={() => void pass()}
          >
            {check.kind === "running"
              ? words.checking(Math.round(check.progress * 100))
              : words.sendAs(printableText(person.name))}
          </button>
        )}
        <EditButton send={send} />
        {isOver ? null : <span className="left">{words.left(checkTimeLeft(left))}</span>}
      </div>
    </div>
  );
}

/** Milliseconds until an end, each second. */
function useCountdown(endsAt: number, now: () => number): number {
  const [left, setLeft] = useState(() => endsAt - now());
  useEffect(() => {
    const timer = setInterval(() => setLeft(endsAt - now()), 1_000);
    return () => clearInterval(timer);
  });
  return left;
}
