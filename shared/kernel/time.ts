import { runtimeOverrides } from "./runtime.ts";

// The one clock. Everything that asks for the time asks here, once per flow, and hands it on as `now`.

/** Milliseconds since the epoch. */
export type Millis = number;

export const SECOND: Millis = 1_000;
export const MINUTE: Millis = 60 * SECOND;
export const HOUR: Millis = 60 * MINUTE;
export const DAY: Millis = 24 * HOUR;

/** The present instant of this process. */
export function clockNow(): Millis {
  return runtimeOverrides().now?.() ?? Date.now();
}

/** A clock that begins at `now` and goes on as this process's does: for work that takes time and began at an instant. */
export function clockFrom(now: Millis): () => Millis {
  const startedAt = clockNow();
  return () => now + (clockNow() - startedAt);
}

/** ISO 8601 in UTC with milliseconds, as every timestamp of the API but the delivery rows'. */
export function iso(at: Millis): string {
  return new Date(at).toISOString();
}

export function isoOrNull(at: Millis | null): string | null {
  return at === null ? null : iso(at);
}
