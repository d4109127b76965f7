import { printableText } from "../../../../packages/client/src/printable.ts";
import { pastTime } from "../../admin/times.ts";
import { deadline, fullTime } from "../../common/times.ts";
import { useServerTime } from "../../data/workspace.tsx";
import { texts } from "../texts.ts";
import { answerWords, type DeliveryDetail, durationWords, isSuccess } from "./delivery-words.ts";

/** The last attempts of a delivery, newest first, and when the next one follows. */
export function Attempts({ delivery }: { delivery: DeliveryDetail }) {
  const now = useServerTime();
  const { attempts, status, next_retry_at: nextAt } = delivery;
  const isNext = status === "retrying";
  if (attempts.length === 0 && !isNext) return <p className="soft">{texts.noAttempts}</p>;
  return (
    <ol className="attempts">
      {isNext ? (
        <li className="next">
          <span>{nextAt === null || nextAt < now ? texts.nextProbe : texts.next(deadline(nextAt, now))}</span>
        </li>
      ) : null}
      {attempts.map((attempt) => (
        <li key={`${attempt.attempt} ${attempt.at}`} className={isSuccess(attempt) ? "ok" : "bad"}>
          <span>
            <b>{attempt.attempt}</b> {answerWords(attempt.status, attempt.error) || texts.unknownEnd}
          </span>
          <time dateTime={new Date(attempt.at).toISOString()} title={fullTime(attempt.at)}>
            {pastTime(attempt.at, now)}
          </time>
          <small>
            {attempt.duration_ms === null ? "" : durationWords(attempt.duration_ms)}
            {attempt.response ? ` · “${printableText(attempt.response)}”` : ""}
          </small>
        </li>
      ))}
    </ol>
  );
}
