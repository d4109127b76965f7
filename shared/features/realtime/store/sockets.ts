import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { newUlid } from "#base/kernel/ids.ts";
import { SOCKETS_PER_TENANT_MAX } from "#base/kernel/limits.ts";
import { forEachConcurrent } from "#base/kernel/parallel.ts";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import { DAY, type Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalTransaction, conditionalWrite } from "#base/table/conditional-write.ts";
import { allOf, isAbsent, itemDoesNotExist, itemExists } from "#base/table/expressions.ts";
import { type Key, timeToLive } from "#base/table/keys.ts";
import { queryAll } from "#base/table/query-all.ts";
import { assign, put, remove as removeItem, sendWrite, update } from "#base/table/writes.ts";
import { tenantKey } from "#features/access/store/items.ts";
import { isDeletedTenant } from "#features/access/store/membership-items.ts";
import type { Grant, Socket } from "../rules/sockets.ts";
import {
  socketAttributes as A,
  socketErasureAttributes as Erasure,
  socketTenantAttributes as SocketTenant,
} from "./attributes.ts";
import {
  grantChecks,
  SOCKET,
  type SocketItem,
  type StoredSocket,
  socketErasureKey,
  socketKey,
  socketTenantKey,
  toSocket,
  toSocketItem,
} from "./items.ts";
import { presenceStore } from "./presence.ts";

/** A tenant's sockets that receive events, and its newest erasure since it has sockets. */
export interface SocketList {
  readonly sockets: readonly StoredSocket[];
  readonly erasedAt: Millis | null;
}

/** A socket of a signed-in person. */
export type PersonSocket = Omit<StoredSocket, "grant"> & { readonly userId: string };

/** `refused`: the access of the ticket has ended. `limit`: the tenant has the maximum number of sockets. */
export type Connecting = "connected" | "refused" | "limit";

/** A socket is two deletions in a transaction, which has at most 100 items. */
const REMOVALS_PER_TRANSACTION = 45;
/** Requests in flight at once. */
const CONCURRENCY = 25;
const ERASURE_MARK_RETENTION: Millis = DAY;

export type Sockets = ReturnType<typeof socketStore>;

export function socketStore(table: Table) {
  const { client, name: TableName } = table;
  const presence = presenceStore(table);

  /** Every socket, also those that are being closed and those whose time is over. Read consistently. */
  async function listAll(tenant: TenantId): Promise<readonly StoredSocket[]> {
    return (await queryAll<SocketItem>(table, socketKey(tenant, ""))).map(toSocket);
  }

  /** Removes sockets and no longer counts them. Those that do not exist are left out. Safe to repeat. */
  async function remove(tenant: TenantId, connectionIds: readonly string[]): Promise<void> {
    for (let start = 0; start < connectionIds.length; start += REMOVALS_PER_TRANSACTION) {
      await removeChunk(tenant, connectionIds.slice(start, start + REMOVALS_PER_TRANSACTION));
    }
  }

  async function removeChunk(tenant: TenantId, connectionIds: readonly string[]): Promise<void> {
    let ids = connectionIds;
    let isCounted = true;
    while (ids.length > 0) {
      const op = newUlid(0);
      const sockets = ids.map((id) => removeItem(socketKey(tenant, id), itemExists));
      const others = ids.map((id) => removeItem(socketTenantKey(id)));
      const result = await conditionalTransaction(
        table,
        [...(isCounted ? [presence.removeItem(tenant, ids.length, op)] : []), ...sockets, ...others],
        { token: op },
      );
      if (result.applied) return;
      const current = isCounted ? result.current.slice(1) : result.current;
      // The deletion of a tenant removes the number of its sockets.
      if (isCounted && result.current[0] !== undefined) isCounted = false;
      ids = ids.filter((_, index) => current[index] === undefined);
    }
  }

  return {
    listAll,
    remove,
    presence: presence.get,

    /**
     * Adds a socket and counts it, in one transaction, which also checks that the access still holds. So a removal of
     * the access that commits before it refuses the socket, and one that commits after it finds the socket.
     */
    async connect(tenant: TenantId, socket: Socket): Promise<Connecting> {
      const { connectionId, grant, connectedAt, expiresAt } = socket;
      const op = newUlid(connectedAt);
      const tenantRow = {
        ...socketTenantKey(connectionId),
        [SocketTenant.tenant]: tenant,
        [SocketTenant.ttl]: timeToLive(expiresAt),
      };
      const items = [
        presence.addItem(tenant, { max: SOCKETS_PER_TENANT_MAX, expiresAt, op }),
        put(toSocketItem(tenant, socket), itemDoesNotExist),
        put(tenantRow, itemDoesNotExist),
        ...grantChecks(tenant, grant),
      ];
      const result = await conditionalTransaction(table, items, { token: op, ownMark: presence.ownMark(op) });
      if (result.applied) return "connected";
      const [, ...others] = result.current;
      return others.some((item) => item !== undefined) ? "refused" : "limit";
    },

    /** Whether a grant gives access to the tenant now. */
    async isGranted(tenant: TenantId, grant: Grant): Promise<boolean> {
      return (await conditionalTransaction(table, grantChecks(tenant, grant))).applied;
    },

    /** Whether the tenant is being deleted, or was: its sockets have no rows then. Read consistently. */
    async isTenantDeleted(tenant: TenantId): Promise<boolean> {
      const { Item } = await client.send(new GetCommand({ TableName, Key: tenantKey(tenant), ConsistentRead: true }));
      return Item !== undefined && isDeletedTenant(Item);
    },

    /** The sockets that receive events. Reads eventually consistently. */
    async list(tenant: TenantId, now: Millis): Promise<SocketList> {
      const { PK } = socketKey(tenant, "");
      const items = await queryAll<Key>(table, { PK, SK: "" }, { consistent: false });
      const sockets = items.filter(({ SK }) => SK.startsWith(SOCKET)).map((item) => toSocket(item as SocketItem));
      const erasure = items.find(({ SK }) => SK === socketErasureKey(tenant).SK) as ErasureItem | undefined;
      return {
        sockets: sockets.filter(({ endedAt, expiresAt }) => endedAt === null && expiresAt > now),
        erasedAt: erasure?.[Erasure.erasedAt] ?? null,
      };
    },

    /**
     * The sockets of people that receive events. Reads eventually consistently.
     * @returns null when the tenant has more than `limit` sockets, of people and keys
     */
    async listPeople(
      tenant: TenantId,
      { limit, now }: { readonly limit: number; readonly now: Millis },
    ): Promise<readonly PersonSocket[] | null> {
      const { PK, SK } = socketKey(tenant, "");
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: "PK = :t AND begins_with(SK, :socket)",
          ExpressionAttributeValues: { ":t": PK, ":socket": SK },
          Limit: limit + 1,
        }),
      );
      if (Items.length > limit) return null;
      return (Items as SocketItem[]).map(toSocket).flatMap(({ grant, ...socket }) => {
        const isLive = socket.endedAt === null && socket.expiresAt > now;
        return isLive && grant.kind === "session" ? [{ ...socket, userId: grant.userId }] : [];
      });
    },

    /** A socket, also one that is being closed. Read consistently. */
    async get(tenant: TenantId, connectionId: string): Promise<StoredSocket | null> {
      const Key = socketKey(tenant, connectionId);
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      return Item ? toSocket(Item as SocketItem) : null;
    },

    /** The tenant of a connection. Null when it has no socket. Read consistently. */
    async tenantOf(connectionId: string): Promise<TenantId | null> {
      const Key = socketTenantKey(connectionId);
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      return Item ? parseTenant(Item[SocketTenant.tenant] as string) : null;
    },

    /** Stores that a socket got its first frame. Nothing for one that is gone. */
    async markGreeted(tenant: TenantId, connectionId: string, now: Millis): Promise<void> {
      await conditionalWrite(
        table,
        update(socketKey(tenant, connectionId), { set: { [A.greetedAt]: now } }, itemExists),
      );
    },

    /** From then on the sockets receive nothing, though their connections are still open. Safe to repeat. */
    async markEnded(tenant: TenantId, connectionIds: readonly string[], now: Millis): Promise<void> {
      const changes = { set: { [A.endedAt]: now } };
      await forEachConcurrent([...connectionIds], CONCURRENCY, async (id) => {
        await conditionalWrite(table, update(socketKey(tenant, id), changes, isLive));
      });
    },

    /**
     * Corrects the number of a tenant's sockets: the time to live removes rows without it. Exact: nothing is written if
     * a socket came or went during the count.
     */
    async repair(tenant: TenantId, now: Millis): Promise<void> {
      const sockets = await listAll(tenant);
      await remove(
        tenant,
        sockets.filter(({ expiresAt }) => expiresAt <= now).map(({ connectionId }) => connectionId),
      );
      await presence.repair(tenant, async () => (await listAll(tenant)).length);
    },

    /** Stores that a conversation was erased, so that it is not pushed as it was before. */
    async markErasure(tenant: TenantId, at: Millis): Promise<void> {
      const mark = { [Erasure.erasedAt]: at, [Erasure.ttl]: timeToLive(at + ERASURE_MARK_RETENTION) };
      await sendWrite(table, assign({ ...socketErasureKey(tenant), ...mark }));
    },
  };
}

const isLive = allOf(itemExists, isAbsent(A.endedAt));

type ErasureItem = Key & { readonly [Erasure.erasedAt]: Millis };
