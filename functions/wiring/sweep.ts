import { consoleLog } from "../../shared/aws/log.ts";
import { openQueue } from "../../shared/aws/queues.ts";
import { setting } from "../../shared/config/settings.ts";
import type { HoldEndPorts, SettlePorts, SweepPorts } from "../../shared/flows/ports.ts";
import { tenantShards } from "../../shared/flows/tenant-shards.ts";
import { accountStore } from "../../shared/table/accounts.ts";
import { budgetStore } from "../../shared/table/budgets.ts";
import { openTable } from "../../shared/table/client.ts";
import { conversationStore } from "../../shared/table/conversations.ts";
import { dueStore } from "../../shared/table/due.ts";
import { dueSendStore } from "../../shared/table/due-sends.ts";
import { erasureStore } from "../../shared/table/erasures.ts";
import { eventBodyStore } from "../../shared/table/events.ts";
import { holdStore } from "../../shared/table/holds.ts";
import { messageStore } from "../../shared/table/messages.ts";
import { outboundMessageStore } from "../../shared/table/outbound-messages.ts";
import { sendRecordStore } from "../../shared/table/send-records.ts";
import { tenantStateStore } from "../../shared/table/tenant-states.ts";

/** The sweeper. */
export function sweepPorts(): SweepPorts & SettlePorts & HoldEndPorts {
  const table = openTable(setting("table"));
  return {
    due: dueStore(table),
    retries: openQueue(setting("deliveriesQueueUrl")),
    conversations: conversationStore(table),
    accounts: accountStore(table),
    budgets: budgetStore(table),
    sendRecords: sendRecordStore(table),
    dueSends: dueSendStore(table),
    holds: holdStore(table),
    outboundMessages: outboundMessageStore(table),
    messages: messageStore(table),
    erasures: erasureStore(table),
    eventBodies: eventBodyStore(table),
    events: openQueue(setting("eventsQueueUrl")),
    shardsOf: tenantShards(tenantStateStore(table)),
    log: consoleLog,
  };
}
