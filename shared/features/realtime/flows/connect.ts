import { SOCKET_LIFETIME } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { ConnectPorts, DisconnectPorts } from "../ports.ts";
import type { Socket } from "../rules/sockets.ts";
import type { Connecting } from "../store/sockets.ts";
import { requestHello } from "./hello.ts";
import { toTicketId } from "./tickets.ts";

/** A handshake, as the gateway reports it. */
interface Handshake {
  readonly connectionId: string;
  readonly connectedAt: Millis;
  /** Null when the query has none, or more than one. */
  readonly ticket: string | null;
  /** The origin of the page that connects. Null outside a browser. */
  readonly origin: string | null;
  /** The client takes a message and its conversation in one frame. */
  readonly includesConversation?: boolean;
  readonly now: Millis;
}

/**
 * `unauthorized`: the ticket was used, has expired or is unknown, or the access of its caller has ended.
 * `forbidden`: a page of another origin has the ticket of a signed-in person.
 */
type HandshakeResult = "connected" | "unauthorized" | "forbidden" | "limit";

/**
 * Opens a socket with a ticket, which is consumed by the first attempt. A text that has not the form of a ticket causes
 * no read, and an unknown one no read of a tenant.
 */
export async function connectSocket(ports: ConnectPorts, handshake: Handshake): Promise<HandshakeResult> {
  const { connectionId, connectedAt, origin, includesConversation = false, now } = handshake;
  const ticketId = toTicketId(handshake.ticket ?? "");
  const ticket = ticketId && (await ports.realtimeTickets.consume(ticketId, now));
  if (!ticket) return "unauthorized";
  const { tenant, grant } = ticket;
  if (grant.kind === "session" && origin !== ports.consoleOrigin) return "forbidden";
  const expiresAt = connectedAt + SOCKET_LIFETIME;
  const socket = { connectionId, grant, connectedAt, expiresAt, includesConversation };
  const result = await addSocket(ports, { tenant, socket, now });
  if (result === "refused") return "unauthorized";
  if (result === "limit") return "limit";
  await requestHello(ports, tenant, connectionId);
  return "connected";
}

/** A tenant whose number of sockets is at the limit has them counted: the time to live removes rows without it. */
async function addSocket(
  { sockets }: ConnectPorts,
  { tenant, socket, now }: { readonly tenant: TenantId; readonly socket: Socket; readonly now: Millis },
): Promise<Connecting> {
  const result = await sockets.connect(tenant, socket);
  if (result !== "limit") return result;
  await sockets.repair(tenant, now);
  return sockets.connect(tenant, socket);
}

/** Removes the socket of a connection that has ended. Safe to repeat. The gateway does not report every end. */
export async function disconnectSocket({ sockets }: DisconnectPorts, connectionId: string): Promise<void> {
  const tenant = await sockets.tenantOf(connectionId);
  if (tenant) await sockets.remove(tenant, [connectionId]);
}
