import { fullTime, timeOfDay } from "../../common/times.ts";
import { PERSON_WINDOW } from "../../data/durations.ts";
import { texts } from "./texts.ts";

const weekday = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "short" });

/** The seven days after a person's last message: 24 hours for replies, then six days as a person, and where now is. */
export function WeekStrip({ lastInboundAt, now }: { lastInboundAt: number | null; now: number }) {
  if (lastInboundAt === null) return null;
  const at = Math.min(1, Math.max(0, (now - lastInboundAt) / PERSON_WINDOW));
  return (
    <div className={at >= 1 ? "week over" : "week"} aria-hidden="true">
      <div className="track">
        <span className="replies" />
        <span className="as-person" />
      </div>
      <span className="now" style={{ insetInlineStart: `${at * 100}%` }}>
        {texts.now}
      </span>
      <div className="ends">
        <span title={fullTime(lastInboundAt)}>
          {weekday.format(lastInboundAt)}, {timeOfDay(lastInboundAt)}
        </span>
        <span>{weekday.format(lastInboundAt + PERSON_WINDOW)}</span>
      </div>
    </div>
  );
}
