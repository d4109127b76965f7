import { MINUTE, type Millis, SECOND } from "../kernel/time.ts";
import { countAttributes as A } from "./attributes.ts";
import type { Table } from "./client.ts";
import { type Key, timeToLive } from "./keys.ts";
import { sendWrite, update } from "./writes.ts";

/**
 * Counts one more in a minute's item. When the table's response is lost, the SDK may count it twice.
 * @returns the seconds until the next minute when the quota was used up before, else null
 */
export async function consumeFromMinute(table: Table, key: Key, quota: number, now: Millis): Promise<number | null> {
  const attributes = await sendWrite(
    table,
    update(key, { add: { [A.count]: 1 }, set: { [A.ttl]: timeToLive(now + 2 * MINUTE) } }, undefined, "UPDATED_NEW"),
  );
  const count = (attributes?.[A.count] as number | undefined) ?? 0;
  return count <= quota ? null : Math.ceil((MINUTE - (now % MINUTE)) / SECOND);
}
