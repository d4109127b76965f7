import { useState } from "react";
import { printableText } from "../../../packages/client/src/printable.ts";
import { usePeople } from "../common/people.ts";
import { timeOfDay } from "../common/times.ts";
import { platformName } from "../data/names.ts";
import { type Message, millis } from "../data/types.ts";
import type { Send } from "./composer/sends.ts";
import { texts } from "./composer/texts.ts";
import { useComposerStore } from "./composer/use-composer.ts";

/** The answer that stopped a send, with who gave it. */
export function AnswerAlert({ answer }: { answer: Message | null }) {
  const nameOf = usePeople();
  if (answer === null) return null;
  return (
    <div className="colleague" role="alert">
      <span>{texts.colleague(nameOf(answer.actor_id) ?? authorOf(answer), timeOfDay(millis(answer.sent_at)))}</span>
      <q dir="auto">{printableText(answer.text).slice(0, 200)}</q>
    </div>
  );
}

/** Stops the next press for a send once, when a colleague has answered since the person pressed it first. */
export function useColleagueStop(send: Send) {
  const store = useComposerStore();
  const [answer, setAnswer] = useState<Message | null>(null);
  const isStopped = () => {
    const unseen = store.answerSinceSend(send);
    if (unseen === null) return false;
    store.noteSeenBy(send.key);
    setAnswer(unseen);
    return true;
  };
  return { answer, isStopped };
}

function authorOf({ sent_via, platform }: Message): string {
  return sent_via === "native_app" ? platformName(platform) : texts.program;
}
