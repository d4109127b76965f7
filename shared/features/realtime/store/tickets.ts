import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { above } from "#base/table/expressions.ts";
import { timeToLive } from "#base/table/keys.ts";
import { put, remove, sendWrite } from "#base/table/writes.ts";
import type { Grant } from "../rules/sockets.ts";
import { realtimeTicketAttributes as A } from "./attributes.ts";
import { type GrantItem, grantFields, realtimeTicketKey, toGrant } from "./items.ts";

/** What a ticket opens: a socket of the tenant, with the access of the caller who asked for it. */
export interface RealtimeTicket {
  readonly tenant: TenantId;
  readonly grant: Grant;
  readonly expiresAt: Millis;
}

export type RealtimeTickets = ReturnType<typeof realtimeTicketStore>;

/** Tickets of the realtime stream. A `ticketId` is the hash of a ticket, which itself is not stored. */
export function realtimeTicketStore(table: Table) {
  return {
    async create(ticketId: string, { tenant, grant, expiresAt }: RealtimeTicket): Promise<void> {
      const item = {
        ...realtimeTicketKey(ticketId),
        ...grantFields(grant),
        [A.tenant]: tenant,
        [A.expiresAt]: expiresAt,
        [A.ttl]: timeToLive(expiresAt),
      };
      await sendWrite(table, put(item));
    },

    /**
     * Consumes a ticket: of several calls, one gets it. When the table's answer is lost, none may get it.
     * @returns null when it is unknown, used or expired
     */
    async consume(ticketId: string, now: Millis): Promise<RealtimeTicket | null> {
      const write = remove(realtimeTicketKey(ticketId), above(A.expiresAt, now), "ALL_OLD");
      const result = await conditionalWrite<TicketItem>(table, write);
      if (!result.applied || !result.item) return null;
      const { [A.tenant]: slug, [A.expiresAt]: expiresAt } = result.item;
      const tenant = parseTenant(slug);
      return tenant && { tenant, grant: toGrant(result.item), expiresAt };
    },
  };
}

type TicketItem = GrantItem & { readonly [A.tenant]: string; readonly [A.expiresAt]: Millis };
