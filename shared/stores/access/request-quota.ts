import { REQUESTS_PER_CALLER_PER_MINUTE } from "../../domain/limits.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Table } from "../client.ts";
import { rateLimitKey } from "../keys.ts";
import { consumeFromMinute, type QuotaUse } from "../minute-quota.ts";

export type RequestQuota = ReturnType<typeof requestQuotaStore>;

export function requestQuotaStore(table: Table) {
  return {
    /** Counts one request in the current minute of a caller. @param callerId the id of a key or of a user */
    consume(callerId: string, now: Millis): Promise<QuotaUse> {
      return consumeFromMinute(table, rateLimitKey(callerId, now), REQUESTS_PER_CALLER_PER_MINUTE, now);
    },
  };
}
