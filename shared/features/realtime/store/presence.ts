import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { absentOr, below, equals, itemExists } from "#base/table/expressions.ts";
import { type TransactItem, update } from "#base/table/writes.ts";
import { presenceAttributes as A } from "./attributes.ts";
import { type PresenceItem, presenceKey, toSocketsUntil } from "./items.ts";

/** The number of a tenant's sockets. */
export interface Presence {
  readonly count: number;
  /** Until when one of them may be open. Null when there is none. */
  readonly socketsUntil: Millis | null;
}

/** The clocks of the processes that connect sockets may differ by this much. */
const CLOCK_MARGIN: Millis = 5 * MINUTE;

/**
 * The number of a tenant's sockets. It changes in the transactions that add and remove sockets, so that it is exact but
 * for the rows that the time to live removes.
 */
export function presenceStore(table: Table) {
  const { client, name: TableName } = table;

  async function getItem(tenant: TenantId): Promise<PresenceItem | null> {
    const { Item } = await client.send(new GetCommand({ TableName, Key: presenceKey(tenant), ConsistentRead: true }));
    return (Item as PresenceItem | undefined) ?? null;
  }

  return {
    /** Null for a tenant that never had a socket. Read consistently. */
    async get(tenant: TenantId): Promise<Presence | null> {
      const item = await getItem(tenant);
      return item && { count: item[A.count], socketsUntil: toSocketsUntil(item) };
    },

    /** Counts a new socket, unless there are `max`. @param op unique */
    addItem(
      tenant: TenantId,
      { max, expiresAt, op }: { readonly max: number; readonly expiresAt: Millis; readonly op: string },
    ): TransactItem {
      const set = { [A.until]: expiresAt + CLOCK_MARGIN, [A.op]: op };
      return update(presenceKey(tenant), { set, add: { [A.count]: 1 } }, absentOr(below, A.count, max));
    },

    /** Counts removed sockets. @param op unique */
    removeItem(tenant: TenantId, removed: number, op: string): TransactItem {
      const changes = { set: { [A.op]: op }, add: { [A.count]: -removed } };
      return update(presenceKey(tenant), changes, itemExists);
    },

    /** Distinguishes a write of the number from any other. */
    ownMark: (op: string) => ({ [A.op]: op }),

    /** Sets the number to what `countSockets` finds. Nothing when a socket was added or removed since it was read. */
    async repair(tenant: TenantId, countSockets: () => Promise<number>): Promise<void> {
      const item = await getItem(tenant);
      if (!item) return;
      const count = await countSockets();
      if (count === item[A.count]) return;
      const changes = { set: { [A.count]: count, [A.op]: newUlid(0) } };
      await conditionalWrite(table, update(presenceKey(tenant), changes, equals(A.op, item[A.op])));
    },
  };
}
