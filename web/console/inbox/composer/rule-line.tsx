import { deadline } from "../../common/times.ts";
import { type MessagingWindow, shortDuration } from "../../data/window.ts";
import { texts } from "./texts.ts";

/** What may be sent, and until when. */
export function RuleLine({ window: { state, endsAt }, now }: { window: MessagingWindow; now: number }) {
  if (state === "person") {
    const [before, bold, after] = texts.rule.person;
    return (
      <div className="rule">
        <span className="dot" />
        <span>
          {before}
          <b>
            {bold}
            {deadline(endsAt, now)}
          </b>
          {after}
        </span>
      </div>
    );
  }
  const [before, after] = texts.rule.open;
  return (
    <div className={state === "closing" ? "rule closing" : "rule"}>
      <span className="dot" />
      <span>
        {before}
        <b>{deadline(endsAt, now)}</b>
        {after(shortDuration(endsAt - now))}
      </span>
    </div>
  );
}

/** The window that is left, as a bar. The line above says it in words. */
export function WindowBar({ window: { state, left } }: { window: MessagingWindow }) {
  return (
    <div className={`life ${state}`} aria-hidden="true">
      <i style={{ width: `${Math.max(1, Math.round(left * 100))}%` }} />
    </div>
  );
}
