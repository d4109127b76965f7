import type { Log } from "#base/aws/log.ts";
import { openQueue } from "#base/aws/queues.ts";
import { openConnections } from "#base/aws/realtime.ts";
import { setting } from "#base/config/settings.ts";
import type { ConnectPorts, DisconnectPorts, FramePorts } from "#features/realtime/ports.ts";
import { socketFrameStore } from "#features/realtime/store/frame-quota.ts";
import { socketStore } from "#features/realtime/store/sockets.ts";
import { realtimeTicketStore } from "#features/realtime/store/tickets.ts";
import { type Host, processHost } from "../host.ts";
import { openServiceTable } from "../support/service-table.ts";

/** What the routes of the WebSocket API need. */
export type SocketPorts = ConnectPorts & DisconnectPorts & FramePorts & { readonly log: Log };

export function socketPorts(host: Host = processHost): SocketPorts {
  const { settings, clients, log } = host;
  const table = openServiceTable(host);
  return {
    realtimeTickets: realtimeTicketStore(table),
    sockets: socketStore(table),
    socketFrames: socketFrameStore(table),
    realtime: openQueue(setting("realtimeQueueUrl", settings), clients.sqs),
    connections: clients.connections ?? openConnections(setting("realtimeEndpoint", settings)),
    consoleOrigin: new URL(setting("consoleUrl", settings)).origin,
    log,
  };
}
