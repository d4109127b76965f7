import type { ParleyError } from "./errors.ts";

// The client guidance of the API: reads are retried, a webhook's test and replays only after a 429, other writes never.

const FIRST_BACKOFF_MS = 500;
const BACKOFF_MAX_MS = 30_000;

const RETRIED_AFTER_429: ReadonlySet<string> = new Set([
  "POST /v1/webhooks/{id}/test",
  "POST /v1/webhooks/{id}/deliveries/replay",
  "POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay",
]);

/** @param operation method and path template, such as `GET /v1/messages/{id}` */
export function mayRetry(operation: string, { code, status }: ParleyError): boolean {
  if (operation.startsWith("GET ")) {
    if (code === "connection_failed" || code === "timeout") return true;
    return status === 429 || (status !== null && status >= 500);
  }
  return status === 429 && RETRIED_AFTER_429.has(operation);
}

/**
 * Milliseconds until the next attempt: half of an exponential backoff and up to as much again at random, after the time
 * that the response asks for. The random part separates clients that were refused at the same time.
 * @param attempt 0 after the first attempt
 * @param retryAfter seconds, or null
 * @param random 0 to 1
 */
export function retryDelay(attempt: number, retryAfter: number | null, random: number): number {
  const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** attempt, BACKOFF_MAX_MS);
  return (retryAfter ?? 0) * 1_000 + backoff * (0.5 + random / 2);
}

/** The seconds of a `Retry-After` header, which is a number of seconds or a date. Null when it is absent or neither. */
export function parseRetryAfter(header: string | null, now: number): number | null {
  if (header === null) return null;
  if (/^\d+$/.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1_000));
}
