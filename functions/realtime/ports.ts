import { consoleLog, type Log } from "../../shared/aws/log.ts";
import { openQueue } from "../../shared/aws/queues.ts";
import { openConnections } from "../../shared/aws/realtime.ts";
import { setting } from "../../shared/config/settings.ts";
import type { ConnectPorts, DisconnectPorts, FramePorts } from "../../shared/flows/realtime/ports.ts";
import { openTable } from "../../shared/stores/client.ts";
import { socketFrameStore } from "../../shared/stores/realtime/frame-quota.ts";
import { socketStore } from "../../shared/stores/realtime/sockets.ts";
import { realtimeTicketStore } from "../../shared/stores/realtime/tickets.ts";

/** What the routes of the WebSocket API need. */
export type SocketPorts = ConnectPorts & DisconnectPorts & FramePorts & { readonly log: Log };

export function socketPorts(): SocketPorts {
  const table = openTable(setting("table"));
  return {
    realtimeTickets: realtimeTicketStore(table),
    sockets: socketStore(table),
    socketFrames: socketFrameStore(table),
    realtime: openQueue(setting("realtimeQueueUrl")),
    connections: openConnections(setting("realtimeEndpoint")),
    consoleOrigin: new URL(setting("consoleUrl")).origin,
    log: consoleLog,
  };
}
