import { type Millis, SECOND } from "../kernel/time.ts";

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
