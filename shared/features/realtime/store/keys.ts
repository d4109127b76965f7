import type { TenantId } from "#base/kernel/tenant.ts";
import type { Key } from "#base/table/keys.ts";

/**
 * The number of a tenant's sockets. It sorts after the endpoints, which are ULIDs, so that the query of a tenant's
 * endpoints brings it.
 */
export function presenceKey(tenant: TenantId): Key {
  return { PK: `T#${tenant}`, SK: "WH#~SOCKETS" };
}

/** The start of the sort key of a socket. */
export const SOCKET = "C#";

export function socketKey(tenant: TenantId, connectionId: string): Key {
  return { PK: `WC#${tenant}`, SK: `${SOCKET}${connectionId}` };
}

/** The newest erasure of a tenant that has sockets. The query of its sockets brings it. */
export function socketErasureKey(tenant: TenantId): Key {
  return { PK: socketKey(tenant, "").PK, SK: "~ERASED" };
}

/** From a connection to its tenant, with the counts of its frames. */
export function socketTenantKey(connectionId: string): Key {
  return { PK: `WS#${connectionId}`, SK: "S" };
}

/** @param ticketId the hash of a realtime ticket */
export function realtimeTicketKey(ticketId: string): Key {
  return { PK: `WT#${ticketId}`, SK: "T" };
}
