import type { StatsHour } from "../hours/hours.ts";

/** The messages of an hour as a bar upwards and one downwards, in hundredths of the drawing. */
export interface MessageBar {
  /** Epoch milliseconds of the hour's start. */
  readonly startsAt: number;
  readonly received: number;
  readonly sent: number;
  readonly up: { readonly y: number; readonly height: number };
  readonly down: { readonly y: number; readonly height: number };
}

/** Free between both bars. */
const SPACE = 1;
const HEIGHT_MIN = 1.5;

/** Both directions have one scale, so their bars can be compared. The line between them is where both find their place. */
export function messageBars(
  hours: readonly Pick<StatsHour, "starts_at" | "received" | "sent">[],
): readonly MessageBar[] {
  const most = (counts: readonly number[]) => Math.max(0, ...counts);
  const up = most(hours.map(({ received }) => received));
  const down = most(hours.map(({ sent }) => sent));
  const scale = (100 - SPACE) / Math.max(1, up + down);
  const height = (count: number) => (count === 0 ? 0 : Math.max(HEIGHT_MIN, count * scale));
  const line = up * scale;
  return hours.map(({ starts_at, received, sent }) => {
    const [upwards, downwards] = [Math.min(height(received), line), Math.min(height(sent), 100 - SPACE - line)];
    return {
      startsAt: Date.parse(starts_at),
      received,
      sent,
      up: { y: line - upwards, height: upwards },
      down: { y: line + SPACE, height: downwards },
    };
  });
}
