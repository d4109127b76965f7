import { countLabel } from "../data/inbox-lists.ts";
import { type Answers, answerTimes } from "./answers.ts";
import { number } from "./numbers.ts";
import { texts } from "./texts.ts";

interface AnswerBarsProps {
  readonly answers: Answers;
  /** How many have waited for more than 24 hours, and whether all who wait are known. */
  readonly overDay: number;
  readonly isComplete: boolean;
}

/** How soon people were answered, with those who were not. */
export function AnswerBars({ answers, overDay, isComplete }: AnswerBarsProps) {
  const rows = [
    ...answerTimes.map((time) => {
      const count = answers.counts[time];
      return { id: time, label: texts.answerTimes[time], count, shown: number(count) };
    }),
    { id: "miss", label: texts.notYet, count: overDay, shown: countLabel(overDay, isComplete) },
  ];
  const most = Math.max(...rows.map(({ count }) => count));
  return (
    <section className="panel" aria-labelledby="answers">
      <h2 id="answers">{texts.answers}</h2>
      {most === 0 ? (
        <p className="soft">{texts.noneAnswered}</p>
      ) : (
        <>
          <dl className="answer-bars">
            {rows.map(({ id, label, count, shown }) => (
              <div key={id} className={id}>
                <dt>{label}</dt>
                <dd>
                  <svg aria-hidden="true">
                    {count === 0 ? null : <rect width={`${(count / most) * 100}%`} height="100%" rx="4" />}
                  </svg>
                  {shown}
                </dd>
              </div>
            ))}
          </dl>
          <p className="foot-note">{texts.answersNote}</p>
        </>
      )}
    </section>
  );
}
