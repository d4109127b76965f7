import { openQueue } from "#base/aws/queues.ts";
import { openConnections } from "#base/aws/realtime.ts";
import { openReceivedMessages } from "#base/aws/received-messages.ts";
import { setting } from "#base/config/settings.ts";
import { accountStore } from "#features/accounts/store/accounts.ts";
import { eventBodyStore } from "#features/delivery/store/event-bodies.ts";
import { holdStore } from "#features/holds/store/holds.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import type { PushPorts } from "#features/realtime/flows/push/ports.ts";
import { socketFrameStore } from "#features/realtime/store/frame-quota.ts";
import { socketStore } from "#features/realtime/store/sockets.ts";
import { uploadStore } from "#features/uploads/store/uploads.ts";
import { type Host, processHost } from "../host.ts";
import { openServiceTable } from "../support/service-table.ts";
import type { WorkerPorts } from "../worker/batch.ts";

export function pushPorts(host: Host = processHost): PushPorts & WorkerPorts {
  const { settings, clients, log } = host;
  const table = openServiceTable(host);
  return {
    sockets: socketStore(table),
    socketFrames: socketFrameStore(table),
    connections: clients.connections ?? openConnections(setting("realtimeEndpoint", settings)),
    conversations: conversationStore(table),
    messages: messageStore(table),
    eventBodies: eventBodyStore(table),
    holds: holdStore(table),
    uploads: uploadStore(table),
    accounts: accountStore(table),
    realtime: openQueue(setting("realtimeQueueUrl", settings), clients.sqs),
    receivedMessages: openReceivedMessages(clients.sqs),
    log,
  };
}
