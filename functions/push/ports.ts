import { consoleLog } from "../../shared/aws/log.ts";
import { type Connections, openConnections } from "../../shared/aws/realtime.ts";
import { openReceivedMessages } from "../../shared/aws/received-messages.ts";
import { setting } from "../../shared/config/settings.ts";
import type { WorkerPorts } from "../worker/batch.ts";

export interface PushPorts extends WorkerPorts {
  readonly connections: Connections;
}

export function pushPorts(): PushPorts {
  return {
    connections: openConnections(setting("realtimeEndpoint")),
    receivedMessages: openReceivedMessages(),
    log: consoleLog,
  };
}
