import { DAY } from "../data/durations.ts";
import { shortDuration } from "../data/window.ts";

// Times as a person reads them, in the language and time zone of the browser.

const clock = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: "short" });
const longDay = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "short" });

/** `14:51` */
export function timeOfDay(at: number): string {
  return clock.format(at);
}

/** The age in a list: `now`, `4 min`, `23 h`, then the weekday. */
export function shortAge(at: number, now: number): string {
  const age = now - at;
  if (age < 60_000) return "now";
  if (age < DAY) return shortDuration(age).replace(/ h .*/, " h");
  return weekday.format(at);
}

/** The number of midnights between two instants, in the time zone of the browser. */
export function daysBetween(earlier: number, later: number): number {
  const midnight = (at: number) => new Date(at).setHours(0, 0, 0, 0);
  return Math.round((midnight(later) - midnight(earlier)) / DAY);
}

/** The heading of a day: `Today`, `Yesterday`, `Thursday, 19 November`. */
export function dayName(at: number, now: number): string {
  const days = daysBetween(at, now);
  if (days === 0) return "Today";
  return days === 1 ? "Yesterday" : longDay.format(at);
}

/** When something ends: `14:51 today`, `Thursday, 18:05`. */
export function deadline(at: number, now: number): string {
  const days = daysBetween(now, at);
  if (days === 0) return `${timeOfDay(at)} today`;
  if (days === 1) return `${timeOfDay(at)} tomorrow`;
  return `${new Intl.DateTimeFormat(undefined, { weekday: "long" }).format(at)}, ${timeOfDay(at)}`;
}

/** Day and time in full, for a title. */
export function fullTime(at: number): string {
  return full.format(at);
}
