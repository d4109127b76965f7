import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { allOf, equals, setContains } from "#base/table/expressions.ts";
import { type Key, timeToLive } from "#base/table/keys.ts";
import { check, type TransactItem } from "#base/table/writes.ts";
import { userActor } from "#features/access/rules/callers.ts";
import {
  apiKeyAttributes as ApiKey,
  membershipAttributes as Member,
  userAttributes as User,
} from "#features/access/store/attributes.ts";
import { listedKeyRow, membershipKey, tenantKey, userKey } from "#features/access/store/items.ts";
import { isNotSuspended } from "#features/access/store/membership-items.ts";
import type { Grant, Socket } from "../rules/sockets.ts";
import { socketAttributes as A, presenceAttributes as Presence } from "./attributes.ts";

/**
 * The number of a tenant's sockets, in the partition of its endpoints. It sorts after them, because their ids are ULIDs, so
 * that the query of a tenant's endpoints brings it.
 */
export const PRESENCE_SORT_KEY = "WH#~SOCKETS";

export function presenceKey(tenant: TenantId): Key {
  return { PK: `T#${tenant}`, SK: PRESENCE_SORT_KEY };
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

/** The attributes of a grant, in tickets and sockets. */
export interface GrantItem {
  readonly [A.actor]: string;
  readonly [A.epoch]?: number;
  readonly [A.memberSince]?: Millis;
}

export type SocketItem = Key &
  GrantItem & {
    readonly [A.connectedAt]: Millis;
    readonly [A.expiresAt]: Millis;
    readonly [A.endedAt]?: Millis;
    readonly [A.greetedAt]?: Millis;
    readonly [A.includesConversation]?: true;
  };

export type PresenceItem = Key & {
  readonly [Presence.count]: number;
  readonly [Presence.op]: string;
  readonly [Presence.until]: Millis;
};

/** A socket as stored. */
export interface StoredSocket extends Socket {
  /** Since when it receives nothing, because it is being closed. Null before. */
  readonly endedAt: Millis | null;
  /** When its first frame was sent. Null before. */
  readonly greetedAt: Millis | null;
}

/** Until when the tenant of a presence row may have sockets. Null when it has none. */
export function toSocketsUntil(item: PresenceItem): Millis | null {
  return item[Presence.count] > 0 ? item[Presence.until] : null;
}

export function grantFields(grant: Grant) {
  if (grant.kind !== "session") return { [A.actor]: `${actorPrefixes[grant.kind]}${grant.keyId}` };
  return { [A.actor]: userActor(grant.userId), [A.epoch]: grant.epoch, [A.memberSince]: grant.memberSince };
}

export function toGrant(item: GrantItem): Grant {
  const { [A.actor]: actor, [A.epoch]: epoch, [A.memberSince]: memberSince } = item;
  for (const kind of ["tenant_key", "operator_key"] as const) {
    if (actor.startsWith(actorPrefixes[kind])) return { kind, keyId: actor.slice(actorPrefixes[kind].length) };
  }
  const prefix = userActor("");
  if (!actor.startsWith(prefix) || epoch === undefined || memberSince === undefined) {
    throw new Error("A socket has no grant.");
  }
  return { kind: "session", userId: actor.slice(prefix.length), epoch, memberSince };
}

/** As in `callerActor`. */
const actorPrefixes = { tenant_key: "key:", operator_key: "operator:" } as const;

/** The conditions under which a grant gives access to a tenant. One that fails does not hold again for this grant, but for a suspension. */
export function grantChecks(tenant: TenantId, grant: Grant): TransactItem[] {
  const tenantCheck = check(tenantKey(tenant), isNotSuspended);
  const isActive = equals(ApiKey.status, "active");
  switch (grant.kind) {
    case "session":
      return [
        tenantCheck,
        check(userKey(grant.userId), equals(User.sessionEpoch, grant.epoch)),
        check(membershipKey(tenant, grant.userId), equals(Member.createdAt, grant.memberSince)),
      ];
    case "tenant_key":
      return [tenantCheck, check(listedKeyRow(tenant, grant.keyId), isActive)];
    case "operator_key":
      return [
        tenantCheck,
        check(listedKeyRow(null, grant.keyId), allOf(isActive, setContains(ApiKey.tenants, tenant))),
      ];
  }
}

export function toSocketItem(tenant: TenantId, socket: Socket) {
  return {
    ...socketKey(tenant, socket.connectionId),
    ...grantFields(socket.grant),
    [A.connectedAt]: socket.connectedAt,
    [A.expiresAt]: socket.expiresAt,
    ...(socket.includesConversation ? { [A.includesConversation]: true } : {}),
    [A.ttl]: timeToLive(socket.expiresAt),
  };
}

export function toSocket(item: SocketItem): StoredSocket {
  return {
    connectionId: item.SK.slice(SOCKET.length),
    grant: toGrant(item),
    connectedAt: item[A.connectedAt],
    expiresAt: item[A.expiresAt],
    endedAt: item[A.endedAt] ?? null,
    greetedAt: item[A.greetedAt] ?? null,
    ...(item[A.includesConversation] ? { includesConversation: true } : {}),
  };
}
