import type { StatsHour } from "../../../../web/console/hours/hours.ts";

export const NO_ANSWERS = {
  within_5_minutes: 0,
  within_15_minutes: 0,
  within_1_hour: 0,
  within_4_hours: 0,
  within_24_hours: 0,
  later: 0,
} satisfies StatsHour["answers"];

/** The 25 hours until the one of a time, as the API counts them: nothing in each. @param now epoch milliseconds */
export function emptyHours(now: number): StatsHour[] {
  const hour = 3_600_000;
  const last = Math.floor(now / hour) * hour;
  return Array.from({ length: 25 }, (_, index) => ({
    starts_at: new Date(last - (24 - index) * hour).toISOString(),
    received: 0,
    sent: 0,
    answers: NO_ANSWERS,
    endpoints: [],
  }));
}
