// The one clock. Everything that asks for the time asks here, once per flow, and hands it on as `now`.

/** Milliseconds since the epoch. */
export type Millis = number;

export const SECOND: Millis = 1_000;
export const MINUTE: Millis = 60 * SECOND;
export const HOUR: Millis = 60 * MINUTE;
export const DAY: Millis = 24 * HOUR;

/**
 * What the process that hosts the code may supply. Lambda supplies nothing. The local stack supplies a clock that can
 * be turned, and opens webhook deliveries to loopback; no environment variable does either.
 */
export interface RuntimeOverrides {
  now?: () => Millis;
  openEgress?: boolean;
}

const overridesKey = Symbol.for("parley.host");
const globals = globalThis as { [overridesKey]?: RuntimeOverrides };

/** The host's own settings; empty in a deployed function. */
export function runtimeOverrides(): RuntimeOverrides {
  return globals[overridesKey] ?? {};
}

/** Called once by a host, before it loads any function. */
export function setRuntimeOverrides(overrides: RuntimeOverrides): void {
  globals[overridesKey] = overrides;
}

/** The present instant of this process. */
export function clockNow(): Millis {
  return globals[overridesKey]?.now?.() ?? Date.now();
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
