import { openFiles } from "#base/aws/files.ts";
import { openQueue } from "#base/aws/queues.ts";
import { openReceivedMessages } from "#base/aws/received-messages.ts";
import { setting } from "#base/config/settings.ts";
import { accountStore } from "#features/accounts/store/accounts.ts";
import { eventBodyStore } from "#features/delivery/store/event-bodies.ts";
import { erasureStore } from "#features/erasure/store/erasures.ts";
import type { IngestPorts } from "#features/inbox/ports.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messageChangeStore } from "#features/inbox/store/message-changes.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { outboundMessageStore } from "#features/inbox/store/outbound-messages.ts";
import { pendingChangeStore } from "#features/inbox/store/pending-changes.ts";
import { rawCopyStore } from "#features/inbox/store/raw-copies.ts";
import { dueSendStore, sendRecordStore } from "#features/sending/store/send-records.ts";
import { counterStore } from "#features/stats/store.ts";
import { tenantStateStore } from "#features/tenants/store/tenant-states.ts";
import { parseUpdates, selectUpdates } from "#platforms/platforms.ts";
import { type Host, processHost } from "../host.ts";
import { openServiceTable } from "../support/service-table.ts";
import type { WorkerPorts } from "../worker/batch.ts";

export function ingestPorts(host: Host = processHost): IngestPorts & WorkerPorts {
  const { settings, clients, log } = host;
  const table = openServiceTable(host);
  return {
    parseUpdates,
    selectUpdates,
    files: openFiles(setting("rawBucket", settings), clients.s3),
    rawCopies: rawCopyStore(table),
    accounts: accountStore(table),
    tenantStates: tenantStateStore(table),
    erasures: erasureStore(table),
    messages: messageStore(table),
    outboundMessages: outboundMessageStore(table),
    sendRecords: sendRecordStore(table),
    dueSends: dueSendStore(table),
    conversations: conversationStore(table),
    messageChanges: messageChangeStore(table),
    pendingChanges: pendingChangeStore(table),
    eventBodies: eventBodyStore(table),
    counters: counterStore(table),
    inbound: openQueue(setting("inboundQueueUrl", settings), clients.sqs),
    events: openQueue(setting("eventsQueueUrl", settings), clients.sqs),
    profiles: openQueue(setting("profilesQueueUrl", settings), clients.sqs),
    receivedMessages: openReceivedMessages(clients.sqs),
    log,
  };
}
