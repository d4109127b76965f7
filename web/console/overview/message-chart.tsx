import { memo } from "react";
import { daysBetween, timeOfDay } from "../common/times.ts";
import type { StatsHour } from "../hours/hours.ts";
import { type MessageBar, messageBars } from "./message-bars.ts";
import { number } from "./numbers.ts";
import { texts } from "./texts.ts";

/** Every sixth hour has its time below. */
const NAMED_EVERY = 6;

/** The messages of each hour: received upwards, sent downwards, and the same as a table. */
export const MessageChart = memo(function MessageChart({ series }: { series: readonly StatsHour[] }) {
  const bars = messageBars(series);
  const sum = (counts: readonly number[]) => number(counts.reduce((total, count) => total + count, 0));
  const received = sum(bars.map((bar) => bar.received));
  const sent = sum(bars.map((bar) => bar.sent));
  const isEmpty = bars.every((bar) => bar.received + bar.sent === 0);
  return (
    <section className="panel" aria-labelledby="messages">
      <header>
        <h2 id="messages">{texts.messages}</h2>
        <p className="legend">
          <span className="received">
            {texts.received} {received}
          </span>
          <span className="sent">
            {texts.sent} {sent}
          </span>
        </p>
      </header>
      {isEmpty ? (
        <p className="soft">{texts.noMessages}</p>
      ) : (
        <>
          <Drawing bars={bars} label={texts.messagesLine(received, sent)} />
          <Axis bars={bars} />
          <AsTable bars={bars} />
        </>
      )}
    </section>
  );
});

const timeOf = ({ startsAt }: MessageBar): string => timeOfDay(startsAt);

function Drawing({ bars, label }: { bars: readonly MessageBar[]; label: string }) {
  const place = 100 / Math.max(1, bars.length);
  return (
    <svg className="chart" role="img" aria-label={label}>
      {bars.map((bar, index) => {
        const sizes = { x: `${place * (index + 0.1)}%`, width: `${place * 0.8}%` };
        return (
          <g key={bar.startsAt}>
            <title>{texts.hourLine(timeOf(bar), number(bar.received), number(bar.sent))}</title>
            <rect className="hour" x={`${place * index}%`} width={`${place}%`} y="0" height="100%" />
            <rect className="received" {...sizes} y={`${bar.up.y}%`} height={`${bar.up.height}%`} rx="2.5" />
            <rect className="sent" {...sizes} y={`${bar.down.y}%`} height={`${bar.down.height}%`} rx="2.5" />
          </g>
        );
      })}
    </svg>
  );
}

/** The times of some hours. The table has all of them. */
function Axis({ bars }: { bars: readonly MessageBar[] }) {
  const now = bars.at(-1)?.startsAt ?? 0;
  const named = bars.filter((_, index) => index % NAMED_EVERY === 0);
  return (
    <p className="axis" aria-hidden="true">
      {named.map((bar, index) => (
        <span key={bar.startsAt}>
          {bar.startsAt === now
            ? texts.currentHour
            : index === 0 && daysBetween(bar.startsAt, now) > 0
              ? texts.yesterday(timeOf(bar))
              : timeOf(bar)}
        </span>
      ))}
    </p>
  );
}

function AsTable({ bars }: { bars: readonly MessageBar[] }) {
  return (
    <details>
      <summary>{texts.asTable}</summary>
      <table className="cards">
        <thead>
          <tr>
            <th scope="col">{texts.hour}</th>
            <th scope="col" className="r">
              {texts.received}
            </th>
            <th scope="col" className="r">
              {texts.sent}
            </th>
          </tr>
        </thead>
        <tbody>
          {bars.map((bar) => (
            <tr key={bar.startsAt}>
              <th scope="row">{timeOf(bar)}</th>
              <td className="r">{number(bar.received)}</td>
              <td className="r">{number(bar.sent)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
