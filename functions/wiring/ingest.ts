import { openFiles } from "../../shared/aws/files.ts";
import { consoleLog } from "../../shared/aws/log.ts";
import { openQueue } from "../../shared/aws/queues.ts";
import { setting } from "../../shared/config/settings.ts";
import type { IngestPorts } from "../../shared/flows/ports.ts";
import { parseUpdates } from "../../shared/platforms/parse.ts";
import { accountStore } from "../../shared/table/accounts.ts";
import { openTable } from "../../shared/table/client.ts";
import { conversationStore } from "../../shared/table/conversations.ts";
import { erasureStore } from "../../shared/table/erasures.ts";
import { messageStore } from "../../shared/table/messages.ts";
import { outboundMessageStore } from "../../shared/table/outbound-messages.ts";
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
    conversations: conversationStore(table),
    events: openQueue(setting("eventsQueueUrl")),
    log: consoleLog,
  };
}
