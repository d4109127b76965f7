import { consoleLog } from "../../shared/aws/log.ts";
import { openQueue } from "../../shared/aws/queues.ts";
import { openConnections } from "../../shared/aws/realtime.ts";
import { openReceivedMessages } from "../../shared/aws/received-messages.ts";
import { setting } from "../../shared/config/settings.ts";
import type { PushPorts } from "../../shared/flows/push/ports.ts";
import { accountStore } from "../../shared/stores/accounts/accounts.ts";
import { openTable } from "../../shared/stores/client.ts";
import { eventBodyStore } from "../../shared/stores/delivery/event-bodies.ts";
import { holdStore } from "../../shared/stores/holds/holds.ts";
import { conversationStore } from "../../shared/stores/inbox/conversations.ts";
import { messageStore } from "../../shared/stores/inbox/messages.ts";
import { socketFrameStore } from "../../shared/stores/realtime/frame-quota.ts";
import { socketStore } from "../../shared/stores/realtime/sockets.ts";
import { uploadStore } from "../../shared/stores/uploads/uploads.ts";
import type { WorkerPorts } from "../worker/batch.ts";

export function pushPorts(): PushPorts & WorkerPorts {
  const table = openTable(setting("table"));
  return {
    sockets: socketStore(table),
    socketFrames: socketFrameStore(table),
    connections: openConnections(setting("realtimeEndpoint")),
    conversations: conversationStore(table),
    messages: messageStore(table),
    eventBodies: eventBodyStore(table),
    holds: holdStore(table),
    uploads: uploadStore(table),
    accounts: accountStore(table),
    realtime: openQueue(setting("realtimeQueueUrl")),
    receivedMessages: openReceivedMessages(),
    log: consoleLog,
  };
}
