import { SOCKET_FRAMES_PER_MINUTE } from "#base/kernel/limits.ts";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { itemExists } from "#base/table/expressions.ts";
import { update } from "#base/table/writes.ts";
import { socketTenantAttributes as A } from "./attributes.ts";
import { socketTenantKey } from "./items.ts";

/** A frame of a client, counted. */
export interface FrameUse {
  /** Whether the connection sent more frames in this minute than it may. */
  readonly isExceeded: boolean;
  /** Whether the connection got its first frame. */
  readonly isGreeted: boolean;
  /** The tenant of the connection's socket. */
  readonly tenant: TenantId | null;
}

/** More minutes than a connection lives: each minute of its life has its own count. */
const COUNTS = 128;

export type SocketFrames = ReturnType<typeof socketFrameStore>;

/** The counts are in the row of the connection, so that one write counts a frame and says whether it may be answered. */
export function socketFrameStore(table: Table) {
  return {
    /**
     * Counts one frame in the current minute of a connection. Null when the connection has no socket.
     * @param isPing a ping before the first frame is remembered
     */
    async consume(connectionId: string, { isPing, now }: { readonly isPing: boolean; readonly now: Millis }) {
      const count = `${A.frames}${Math.floor(now / MINUTE) % COUNTS}`;
      const changes = { add: { [count]: 1 }, set: isPing ? { [A.pingedAt]: now } : {} };
      const write = update(socketTenantKey(connectionId), changes, itemExists, "ALL_NEW");
      const result = await conditionalWrite<Record<string, number | undefined>>(table, write);
      if (!result.applied) return null;
      const { [count]: frames = 0, [A.greetedAt]: greetedAt, [A.tenant]: tenant } = result.item ?? {};
      const use: FrameUse = {
        isExceeded: frames > SOCKET_FRAMES_PER_MINUTE,
        isGreeted: greetedAt !== undefined,
        tenant: parseTenant(String(tenant)),
      };
      return use;
    },

    /** From now on pings are answered. @returns whether there was one before */
    async markGreeted(connectionId: string, now: Millis): Promise<boolean> {
      const write = update(socketTenantKey(connectionId), { set: { [A.greetedAt]: now } }, itemExists, "ALL_NEW");
      const result = await conditionalWrite<Record<string, number | undefined>>(table, write);
      return result.applied && result.item?.[A.pingedAt] !== undefined;
    },
  };
}
