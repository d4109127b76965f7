import type { StatsHour } from "../hours/hours.ts";

/** How long people waited for an answer, as the API counts: the shortest first. */
export const answerTimes = [
  "within_5_minutes",
  "within_15_minutes",
  "within_1_hour",
  "within_4_hours",
  "within_24_hours",
  "later",
] as const satisfies readonly (keyof StatsHour["answers"])[];

export type AnswerTime = (typeof answerTimes)[number];

/** The answers of some hours. */
export interface Answers {
  readonly counts: Readonly<Record<AnswerTime, number>>;
  readonly all: number;
  /** Those within 24 hours. */
  readonly inTime: number;
  /** The time within which half of them were given; null when there are none. */
  readonly half: AnswerTime | null;
}

export function sumAnswers(hours: readonly StatsHour[]): Answers {
  const counts = Object.fromEntries(
    answerTimes.map((time) => [time, hours.reduce((sum, { answers }) => sum + answers[time], 0)]),
  ) as Record<AnswerTime, number>;
  const all = answerTimes.reduce((sum, time) => sum + counts[time], 0);
  return { counts, all, inTime: all - counts.later, half: all === 0 ? null : halfWithin(counts, all) };
}

function halfWithin(counts: Answers["counts"], all: number): AnswerTime {
  let total = 0;
  for (const time of answerTimes) {
    total += counts[time];
    if (total * 2 >= all) return time;
  }
  return "later";
}

/**
 * How many were answered within 24 hours, of all that should have been: those who have waited longer are among them.
 * @param overDay how many have waited for more than 24 hours; null when not all who wait are known
 */
export function answeredInTime({ inTime, all }: Answers, overDay: number | null) {
  const due = all + (overDay ?? 0);
  return { inTime, due, share: due === 0 ? null : inTime / due };
}
