import { daysBetween, timeOfDay } from "../common/times.ts";
import { texts } from "./texts.ts";

const dayOfYear = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long" });
const dayOfYears = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long", year: "numeric" });

/** A day of the past: `today`, `yesterday`, `3 October`, `3 October 2025`. */
export function pastDay(at: number, now: number): string {
  const days = daysBetween(at, now);
  if (days <= 0) return texts.today;
  if (days === 1) return texts.yesterday;
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return (isThisYear ? dayOfYear : dayOfYears).format(at);
}

const weekday = new Intl.DateTimeFormat(undefined, { weekday: "short" });
const shortDay = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

/** An instant of the last days in a table: `13:29`, `Fri 09:14`, and the day alone after a week. */
export function rowTime(at: number, now: number): string {
  const days = daysBetween(at, now);
  if (days <= 0) return timeOfDay(at);
  return days < 7 ? `${weekday.format(at)} ${timeOfDay(at)}` : shortDay.format(at);
}

/** An instant of the past: `today, 13:52`. */
export function pastTime(at: number, now: number): string {
  return `${pastDay(at, now)}, ${timeOfDay(at)}`;
}
