import type { ReactNode } from "react";
import { Link } from "wouter";
import { printableText } from "../../../packages/client/src/printable.ts";
import { percent } from "../common/percent.ts";
import { personName } from "../data/names.ts";
import { shortDuration, windowOf } from "../data/window.ts";
import { useWorkspace } from "../data/workspace.tsx";
import { useNeedsReplyCount } from "../inbox/list/use-list.ts";
import { inboxPath } from "../paths.ts";
import { type Answers, answeredInTime } from "./answers.ts";
import { number } from "./numbers.ts";
import { texts } from "./texts.ts";
import type { WaitingNow } from "./use-waiting.ts";

interface FiguresProps {
  readonly waiting: WaitingNow;
  /** Null until they are loaded. */
  readonly answers: Answers | null;
}

/** The four figures: who waits now, and how soon people were answered. */
export function Figures({ waiting, answers }: FiguresProps) {
  const { tenant } = useWorkspace();
  const count = useNeedsReplyCount();
  const { isLoaded, isComplete, closing, longest, overDay } = waiting;
  const inTime = answers && isLoaded ? answeredInTime(answers, isComplete ? overDay : null) : null;
  return (
    <ul className="figures" aria-label={texts.now}>
      <Figure
        label={texts.needsReply}
        value={isLoaded ? count : null}
        href={inboxPath(tenant)}
        isHot={closing > 0}
        line={closing > 0 ? texts.closing(closing) : count === "0" ? texts.noneWaits : texts.noneCloses}
      />
      <Figure
        label={texts.longest}
        value={isLoaded && longest ? shortDuration(longest.waitedMs) : null}
        href={longest ? inboxPath(tenant, longest.conversation.id) : undefined}
        line={longest ? <LongestLine longest={longest} now={waiting.now} isComplete={isComplete} /> : texts.noneWaits}
        isLoading={!isLoaded}
      />
      <Figure
        label={texts.inTime}
        value={inTime?.share == null ? null : percent(inTime.share)}
        line={inTime?.share == null ? texts.noAnswers : texts.inTimeOf(number(inTime.inTime), number(inTime.due))}
        isLoading={inTime === null}
      />
      <Figure
        label={texts.half}
        value={answers?.half ? texts.shortTimes[answers.half] : null}
        line={answers?.half ? texts.ofAnswers(number(answers.all)) : texts.noAnswers}
        isLoading={answers === null}
      />
    </ul>
  );
}

interface FigureProps {
  readonly label: string;
  /** Null when there is none. */
  readonly value: string | null;
  readonly line: ReactNode;
  readonly href?: string | undefined;
  readonly isHot?: boolean;
  readonly isLoading?: boolean;
}

function Figure({ label, value, line, href, isHot = false, isLoading = value === null }: FigureProps) {
  const content = (
    <>
      <span>{label}</span>
      <b>{isLoading || value === null ? texts.unknown : <Measured text={value} />}</b>
      <small className={isHot ? "hot" : undefined}>{isLoading ? null : line}</small>
    </>
  );
  return <li>{href === undefined ? <div>{content}</div> : <Link href={href}>{content}</Link>}</li>;
}

/** A quantity whose units are small: `6 d 4 h`, `93%`. */
function Measured({ text }: { text: string }) {
  return text.split(/([a-z%]+)/).map((part, index) => {
    // The parts of a text have no other identity than their place.
    // biome-ignore lint/suspicious/noArrayIndexKey: as above
    return index % 2 === 1 ? <i key={index}>{part}</i> : part;
  });
}

interface LongestLineProps extends Pick<WaitingNow, "now" | "isComplete"> {
  readonly longest: NonNullable<WaitingNow["longest"]>;
}

function LongestLine({ longest: { conversation }, now, isComplete }: LongestLineProps) {
  const { state, endsAt } = windowOf(conversation, now);
  const left = shortDuration(endsAt - now);
  const words =
    state === "closed" || state === "none"
      ? texts.closed
      : (state === "person" ? texts.leftAsPerson : texts.left)(left);
  return (
    <>
      <bdi>{printableText(personName(conversation))}</bdi>, {words}
      {isComplete ? null : `, ${texts.ofLoaded}`}
    </>
  );
}
