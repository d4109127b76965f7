import { SOCKET_FRAMES_PER_MINUTE } from "../../domain/limits.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Table } from "../client.ts";
import { rateLimitKey } from "../keys.ts";
import { consumeFromMinute, type QuotaUse } from "../minute-quota.ts";

export type SocketFrames = ReturnType<typeof socketFrameStore>;

export function socketFrameStore(table: Table) {
  return {
    /** Counts one frame in the current minute of a connection. */
    consume(connectionId: string, now: Millis): Promise<QuotaUse> {
      return consumeFromMinute(table, rateLimitKey(connectionId, now), SOCKET_FRAMES_PER_MINUTE, now);
    },
  };
}
