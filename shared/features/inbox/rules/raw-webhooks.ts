import { sha256Hex } from "#base/kernel/bytes.ts";
import { RETENTION } from "#base/kernel/limits.ts";
import { HOUR, iso, MINUTE, type Millis } from "#base/kernel/time.ts";

// Raw webhooks end within 7 days of their arrival. The keys of their files sort by arrival, so that a purge reads first
// what ends first.

/** The time to the next purge, and what that may be late. */
const PURGE_INTERVAL: Millis = HOUR + 5 * MINUTE;

/** A purge removes what arrived before this instant: the next purge could be too late for it. */
export function purgedBefore(now: Millis): Millis {
  return now + PURGE_INTERVAL - RETENTION;
}

export const RAW_COPIES_PREFIX = "raw/";
export const LARGE_WEBHOOKS_PREFIX = "inbound/";

/** The folder of the copies that arrived in the same hour. */
export function rawCopiesFolder(arrivedAt: Millis): string {
  return `${RAW_COPIES_PREFIX}${iso(arrivedAt).slice(0, 13).replace("T", "/")}/`;
}

/**
 * The name of a file of copies. Only the same webhooks have the same name: a retry of some of a batch's records stores
 * another file.
 */
export function rawCopiesName(recordIds: readonly string[]): string {
  return `${recordIds[0] ?? ""}-${sha256Hex(recordIds.join()).slice(0, 16)}`;
}

/** The file of a webhook that is too large for a queue message. @param ulid of the time of its arrival */
export function largeWebhookKey(arrivedAt: Millis, ulid: string): string {
  return `${LARGE_WEBHOOKS_PREFIX}${iso(arrivedAt).slice(0, 10)}/${ulid}.json.gz`;
}
