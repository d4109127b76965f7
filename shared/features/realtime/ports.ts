import type { Log } from "#base/aws/log.ts";
import type { Queue } from "#base/aws/queues.ts";
import type { Connections } from "#base/aws/realtime.ts";
import type { Memberships } from "#features/access/store/memberships.ts";
import type { SocketFrames } from "./store/frame-quota.ts";
import type { Sockets } from "./store/sockets.ts";
import type { RealtimeTickets } from "./store/tickets.ts";

export interface TicketPorts {
  readonly realtimeTickets: Pick<RealtimeTickets, "create">;
  readonly memberships: Pick<Memberships, "get">;
  /** The URL of the WebSocket API. */
  readonly realtimeUrl: string;
}

export interface ConnectPorts {
  readonly realtimeTickets: Pick<RealtimeTickets, "consume">;
  readonly sockets: Pick<Sockets, "connect" | "repair">;
  readonly realtime: Pick<Queue, "send">;
  /** The origin of the console, such as `https://console.example.com`. */
  readonly consoleOrigin: string;
}

export interface DisconnectPorts {
  readonly sockets: Pick<Sockets, "tenantOf" | "remove">;
}

/** What closing sockets needs. */
export interface ClosePorts {
  readonly sockets: Pick<Sockets, "get" | "listAll" | "isGranted" | "isTenantDeleted" | "markEnded" | "remove">;
  readonly connections: Pick<Connections, "close">;
}

export interface FramePorts extends ClosePorts {
  readonly sockets: ClosePorts["sockets"] & Pick<Sockets, "tenantOf" | "listPeople">;
  readonly socketFrames: Pick<SocketFrames, "consume">;
  readonly connections: Connections;
}

/** What requesting that the sockets of ended access are closed needs. */
export interface CutOffPorts {
  readonly sockets: Pick<Sockets, "presence" | "listAll">;
  /** The queue of the push worker. */
  readonly realtime: Pick<Queue, "send">;
  readonly log: Log;
}

/** What requesting the push of a change needs. */
export interface PushRequestPorts {
  /** The queue of the push worker. */
  readonly realtime: Pick<Queue, "send">;
  readonly log: Log;
}
