/** Milliseconds since the epoch, or a number of them. */
export type Millis = number;

export const SECOND: Millis = 1_000;
export const MINUTE: Millis = 60 * SECOND;
export const HOUR: Millis = 60 * MINUTE;
export const DAY: Millis = 24 * HOUR;

export function iso(at: Millis): string {
  return new Date(at).toISOString();
}
