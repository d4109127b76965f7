import { MINUTE, type Millis, SECOND } from "../kernel/time.ts";
import { countAttributes as A } from "./attributes.ts";
import type { Table } from "./client.ts";
import { type Key, timeToLive } from "./keys.ts";
import { sendWrite, update } from "./writes.ts";

/** A quota after one more use of it. */
export interface QuotaUse {
  readonly isExceeded: boolean;
  readonly remaining: number;
  /** Seconds until the next minute. */
  readonly resetSeconds: number;
}

/** Counts one more in a minute's item. When the table's response is lost, the SDK may count it twice. */
export async function consumeFromMinute(table: Table, key: Key, quota: number, now: Millis): Promise<QuotaUse> {
  const attributes = await sendWrite(
    table,
    update(key, { add: { [A.count]: 1 }, set: { [A.ttl]: timeToLive(now + 2 * MINUTE) } }, undefined, "UPDATED_NEW"),
  );
  const count = (attributes?.[A.count] as number | undefined) ?? 0;
  const resetSeconds = secondsToNextMinute(now);
  return { isExceeded: count > quota, remaining: Math.max(0, quota - count), resetSeconds };
}

/** The seconds until the next minute begins, at least 1. */
export function secondsToNextMinute(now: Millis): number {
  return Math.ceil((MINUTE - (now % MINUTE)) / SECOND);
}
