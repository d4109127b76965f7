import { openFiles } from "../../shared/aws/files.ts";
import { consoleLog } from "../../shared/aws/log.ts";
import { openQueue } from "../../shared/aws/queues.ts";
import { openReceivedMessages } from "../../shared/aws/received-messages.ts";
import { setting } from "../../shared/config/settings.ts";
import type { IngestPorts } from "../../shared/flows/inbox/ports.ts";
import { parseUpdates } from "../../shared/platforms/parse/parse.ts";
import { selectUpdates } from "../../shared/platforms/parse/webhook-events.ts";
import { tenantStateStore } from "../../shared/stores/access/tenant-states.ts";
import { accountStore } from "../../shared/stores/accounts/accounts.ts";
import { openTable } from "../../shared/stores/client.ts";
import { eventBodyStore } from "../../shared/stores/delivery/event-bodies.ts";
import { erasureStore } from "../../shared/stores/erasure/erasures.ts";
import { conversationStore } from "../../shared/stores/inbox/conversations.ts";
import { messageChangeStore } from "../../shared/stores/inbox/message-changes.ts";
import { messageStore } from "../../shared/stores/inbox/messages.ts";
import { outboundMessageStore } from "../../shared/stores/inbox/outbound-messages.ts";
import { pendingChangeStore } from "../../shared/stores/inbox/pending-changes.ts";
import { sendRecordStore } from "../../shared/stores/sending/send-records.ts";
import { counterStore } from "../../shared/stores/stats/counters.ts";
import type { WorkerPorts } from "../worker/batch.ts";

export function ingestPorts(): IngestPorts & WorkerPorts {
  const table = openTable(setting("table"));
  return {
    parseUpdates,
    selectUpdates,
    files: openFiles(setting("rawBucket")),
    accounts: accountStore(table),
    tenantStates: tenantStateStore(table),
    erasures: erasureStore(table),
    messages: messageStore(table),
    outboundMessages: outboundMessageStore(table),
    sendRecords: sendRecordStore(table),
    conversations: conversationStore(table),
    messageChanges: messageChangeStore(table),
    pendingChanges: pendingChangeStore(table),
    eventBodies: eventBodyStore(table),
    counters: counterStore(table),
    inbound: openQueue(setting("inboundQueueUrl")),
    events: openQueue(setting("eventsQueueUrl")),
    profiles: openQueue(setting("profilesQueueUrl")),
    receivedMessages: openReceivedMessages(),
    log: consoleLog,
  };
}
