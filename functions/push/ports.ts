import type { PushPorts } from "#features/realtime/flows/push/ports.ts";
import { compose } from "../compose.ts";
import { type Host, processHost } from "../host.ts";
import { connections } from "../ports/outside.ts";
import { log } from "../ports/process.ts";
import { realtime, receivedMessages } from "../ports/queues.ts";
import {
  accounts,
  conversations,
  eventBodies,
  holds,
  messages,
  socketFrames,
  sockets,
  uploads,
} from "../ports/stores.ts";
import type { WorkerPorts } from "../worker/batch.ts";

export function pushPorts(host: Host = processHost): PushPorts & WorkerPorts {
  return compose(host, {
    sockets,
    socketFrames,
    connections,
    conversations,
    messages,
    eventBodies,
    holds,
    uploads,
    accounts,
    realtime,
    receivedMessages,
    log,
  });
}
