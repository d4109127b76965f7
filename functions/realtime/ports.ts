import type { Log } from "#base/aws/log.ts";
import type { ConnectPorts, DisconnectPorts, FramePorts } from "#features/realtime/ports.ts";
import { compose } from "../compose.ts";
import { type Host, processHost } from "../host.ts";
import { connections } from "../ports/outside.ts";
import { consoleOrigin, log } from "../ports/process.ts";
import { realtime } from "../ports/queues.ts";
import { realtimeTickets, socketFrames, sockets } from "../ports/stores.ts";

/** What the routes of the WebSocket API need. */
export type SocketPorts = ConnectPorts & DisconnectPorts & FramePorts & { readonly log: Log };

export function socketPorts(host: Host = processHost): SocketPorts {
  return compose(host, {
    realtimeTickets,
    sockets,
    socketFrames,
    realtime,
    connections,
    consoleOrigin,
    log,
  });
}
