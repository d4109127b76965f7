import { runtimeOverrides } from "./runtime.ts";

// The only clock. A flow reads it once and passes the time on as `now`.

/** Milliseconds since the epoch. */
export type Millis = number;

export const SECOND: Millis = 1_000;
export const MINUTE: Millis = 60 * SECOND;
export const HOUR: Millis = 60 * MINUTE;
export const DAY: Millis = 24 * HOUR;

/** The start of a day of UTC. */
export function startOfDay(at: Millis): Millis {
  return at - (at % DAY);
}

/** The seconds until the next day of UTC begins, at least 1. */
export function secondsToNextDay(now: Millis): number {
  return Math.ceil((startOfDay(now) + DAY - now) / SECOND);
}

/** The current time of this process. */
export function clockNow(): Millis {
  return runtimeOverrides().now?.() ?? Date.now();
}

/** The machine's clock, from which a library counts. It differs from `clockNow` in the local stack only. */
export function machineNow(): Millis {
  return Date.now();
}

/** ISO 8601 in UTC with milliseconds, as in every timestamp of the API except those of deliveries. */
export function iso(at: Millis): string {
  return new Date(at).toISOString();
}

/** The instant of a text that `iso` made. NaN for another one that is no time. */
export function parseIso(text: string): Millis {
  return Date.parse(text);
}

/** For a library that takes a Date. */
export function toDate(at: Millis): Date {
  return new Date(at);
}

export function isoOrNull(at: Millis | null): string | null {
  return at === null ? null : iso(at);
}

/** Sun, 06 Nov 1994 08:49:37 GMT. The two obsolete HTTP date formats are ignored. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const SECONDS_MAX = 1_000_000_000;

/**
 * The delay that a `Retry-After` header requests from `now`, in milliseconds, never negative. Null when the header is
 * absent or contains neither whole seconds nor an HTTP date.
 */
export function parseRetryAfter(header: string | string[] | undefined, now: Millis): Millis | null {
  const value = (Array.isArray(header) ? header[0] : header)?.trim() ?? "";
  if (/^\d+$/.test(value)) return Math.min(Number(value), SECONDS_MAX) * SECOND;
  const at = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
