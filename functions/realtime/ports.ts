import { consoleLog, type Log } from "../../shared/aws/log.ts";
import { type Connections, openConnections } from "../../shared/aws/realtime.ts";
import { setting } from "../../shared/config/settings.ts";

/** What the routes of the WebSocket API need. */
export interface SocketPorts {
  readonly connections: Connections;
  readonly log: Log;
}

export function socketPorts(): SocketPorts {
  return { connections: openConnections(setting("realtimeEndpoint")), log: consoleLog };
}
