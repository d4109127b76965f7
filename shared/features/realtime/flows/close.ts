import { forEachConcurrent } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { ClosePorts } from "../ports.ts";
import type { Grant } from "../rules/sockets.ts";
import type { StoredSocket } from "../store/items.ts";
import { HANDSHAKE_MAX } from "./hello.ts";

/** Requests in flight at once. */
const CONCURRENCY = 25;

/** Sockets of a tenant. */
interface SocketsOf {
  readonly tenant: TenantId;
  readonly connectionIds: readonly string[];
  /** When the closing or the check was requested: each of the sockets had a row by then. Default: long ago. */
  readonly requestedAt?: Millis;
  /** Their handshakes were answered: a connection that the gateway does not know has ended. Default: false. */
  readonly areOpen?: boolean;
  readonly now: Millis;
}

/** A connection was not closed. It receives nothing any more, and the next attempt closes it. */
export class NotClosed extends Error {
  override readonly name = "NotClosed";
}

/**
 * Closes connections. Their sockets receive nothing from the first write on, and their rows stay until the gateway has
 * closed them, so that a repetition closes what a process left open. Safe to repeat. A connection without a row is closed,
 * too: the deletion of a tenant removes the rows, also of a connection whose handshake is in progress.
 * @throws NotClosed when the gateway did not close all of them, or does not know one yet
 */
export async function closeSockets(
  ports: ClosePorts,
  { tenant, connectionIds, requestedAt = 0, areOpen = false, now }: SocketsOf,
): Promise<void> {
  await ports.sockets.markEnded(tenant, connectionIds, now);
  const rows = await ports.sockets.listAll(tenant);
  const rowsById = new Map(rows.map((socket) => [socket.connectionId, socket]));
  const closedIds: string[] = [];
  const unknownIds: string[] = [];
  await forEachConcurrent(connectionIds, CONCURRENCY, async (connectionId) => {
    const result = await ports.connections.close(connectionId).catch(() => "failed" as const);
    if (result === "failed") return;
    const row = rowsById.get(connectionId);
    const mayBeInHandshake = !areOpen && result === "gone" && (row?.connectedAt ?? requestedAt) > now - HANDSHAKE_MAX;
    if (!mayBeInHandshake) closedIds.push(connectionId);
    else if (!row) unknownIds.push(connectionId);
  });
  // Without a deletion only a connection that has ended loses its row.
  if (unknownIds.length > 0 && !(await ports.sockets.isTenantDeleted(tenant))) closedIds.push(...unknownIds);
  await ports.sockets.remove(
    tenant,
    closedIds.filter((id) => rowsById.has(id)),
  );
  if (closedIds.length < connectionIds.length) throw new NotClosed("A connection was not closed yet.");
}

/**
 * Closes those of the sockets whose access has ended, and those that are being closed. Safe to repeat. Those without a row
 * have ended, unless the deletion of the tenant removed the rows.
 */
export async function recheckSockets(
  ports: ClosePorts,
  { tenant, connectionIds, requestedAt = 0, now }: SocketsOf,
): Promise<void> {
  const rows = await ports.sockets.listAll(tenant);
  const sockets = rows.filter((row) => connectionIds.includes(row.connectionId));
  const granted = new Map<string, boolean>();
  for (const { grant } of sockets) {
    const name = grantName(grant);
    if (!granted.has(name)) granted.set(name, await ports.sockets.isGranted(tenant, grant));
  }
  const ended = sockets.filter(({ grant, endedAt }) => endedAt !== null || !granted.get(grantName(grant)));
  const endedIds = ended.map(({ connectionId }) => connectionId);
  const stored = new Set(sockets.map(({ connectionId }) => connectionId));
  const withoutRow = connectionIds.filter((id) => !stored.has(id));
  if (withoutRow.length > 0 && (await ports.sockets.isTenantDeleted(tenant))) endedIds.push(...withoutRow);
  if (endedIds.length > 0) await closeSockets(ports, { tenant, connectionIds: endedIds, requestedAt, now });
}

/**
 * The socket of a connection if its access still holds, read consistently. Otherwise closes the connection: a process may
 * have ended between the removal of the access and the request to close its sockets.
 * @returns null when the connection has no socket, or it is closed
 * @throws NotClosed as `closeSockets`
 */
export async function verifySocket(
  ports: ClosePorts,
  { tenant, connectionId, now }: { readonly tenant: TenantId; readonly connectionId: string; readonly now: Millis },
): Promise<StoredSocket | null> {
  const socket = await ports.sockets.get(tenant, connectionId);
  const isOpen = socket !== null && socket.endedAt === null && (await ports.sockets.isGranted(tenant, socket.grant));
  if (isOpen) return socket;
  await closeSockets(ports, { tenant, connectionIds: [connectionId], now });
  return null;
}

function grantName(grant: Grant): string {
  return JSON.stringify(grant);
}
