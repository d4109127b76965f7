import { openFiles } from "../../shared/aws/files.ts";
import { consoleLog } from "../../shared/aws/log.ts";
import { openQueue } from "../../shared/aws/queues.ts";
import { setting } from "../../shared/config/settings.ts";
import type { IngestPorts } from "../../shared/flows/ports.ts";
import { parseUpdates } from "../../shared/platforms/parse.ts";
import { accountStore } from "../../shared/table/accounts.ts";
import { openTable } from "../../shared/table/client.ts";
import { conversationStore } from "../../shared/table/conversations.ts";
import { counterStore } from "../../shared/table/counters.ts";
import { earlyChangeStore } from "../../shared/table/early-changes.ts";
import { erasureStore } from "../../shared/table/erasures.ts";
import { eventBodyStore } from "../../shared/table/events.ts";
import { messageChangeStore } from "../../shared/table/message-changes.ts";
import { messageStore } from "../../shared/table/messages.ts";
import { outboundMessageStore } from "../../shared/table/outbound-messages.ts";
import { sendRecordStore } from "../../shared/table/send-records.ts";
import { tenantStateStore } from "../../shared/table/tenant-states.ts";

/** The ingest worker. */
export function ingestPorts(): IngestPorts {
  const table = openTable(setting("table"));
  return {
    parseUpdates,
    files: openFiles(setting("rawBucket")),
    accounts: accountStore(table),
    tenantStates: tenantStateStore(table),
    erasures: erasureStore(table),
    messages: messageStore(table),
    outboundMessages: outboundMessageStore(table),
    sendRecords: sendRecordStore(table),
    conversations: conversationStore(table),
    messageChanges: messageChangeStore(table),
    earlyChanges: earlyChangeStore(table),
    eventBodies: eventBodyStore(table),
    counters: counterStore(table),
    events: openQueue(setting("eventsQueueUrl")),
    profiles: openQueue(setting("profilesQueueUrl")),
    log: consoleLog,
  };
}
