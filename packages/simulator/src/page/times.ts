const time = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const seconds = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
const shortDay = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "short" });
const hourMs = 3_600_000;

export const formatTime = (at: number): string => time.format(at);
export const formatSeconds = (at: number): string => seconds.format(at);
export const formatDayTime = (at: number): string => `${shortDay.format(at)}, ${time.format(at)}`;

function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}

export function isSameDay(a: number, b: number): boolean {
  return startOfDay(a) === startOfDay(b);
}

/** `Today`, `Yesterday` or the date, by the simulator's clock. */
export function formatDay(at: number, now: number): string {
  const days = Math.round((startOfDay(now) - startOfDay(at)) / (24 * hourMs));
  if (days === 0) return "Today";
  return days === 1 ? "Yesterday" : day.format(at);
}

/** The time of a message in a list: the time of day, or the date if it is another day. */
export function formatRecent(at: number, now: number): string {
  return isSameDay(at, now) ? formatTime(at) : shortDay.format(at);
}

/** A duration such as `2 d 4 h`, `23 h` or `1 h 59 min`: the longer, the coarser. */
export function formatDuration(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000));
  // The windows of 24 hours are named as such.
  const days = minutes < 2 * 1440 ? 0 : Math.floor(minutes / 1440);
  const hours = Math.floor((minutes - days * 1440) / 60);
  if (days > 0) return hours > 0 ? `${days} d ${hours} h` : `${days} d`;
  if (hours >= 10) return `${hours} h`;
  if (hours > 0) return minutes % 60 > 0 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  if (minutes > 0) return `${minutes} min`;
  return `${Math.max(1, Math.round(ms / 1000))} s`;
}
