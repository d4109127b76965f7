import { openFiles } from "../../shared/aws/files.ts";
import { consoleLog } from "../../shared/aws/log.ts";
import { openQueue } from "../../shared/aws/queues.ts";
import { setting } from "../../shared/config/settings.ts";
import type { ResumeDeletionsPorts } from "../../shared/flows/accounts/duties/ports.ts";
import type { DueCheckPorts } from "../../shared/flows/accounts/ports.ts";
import type { PurgeLettersPorts } from "../../shared/flows/dead-letters/ports.ts";
import type { OverduePorts, SweepPorts } from "../../shared/flows/delivery/ports.ts";
import type { HoldExpiryPorts } from "../../shared/flows/holds/ports.ts";
import { tenantShards } from "../../shared/flows/inbox/feed-shards.ts";
import type { PurgePorts } from "../../shared/flows/inbox/ports.ts";
import type { SettlePorts } from "../../shared/flows/sending/ports.ts";
import type { PurgeUploadsPorts } from "../../shared/flows/uploads/ports.ts";
import { tenantStateStore } from "../../shared/stores/access/tenant-states.ts";
import { accountCheckStore } from "../../shared/stores/accounts/account-checks.ts";
import { accountStore } from "../../shared/stores/accounts/accounts.ts";
import { dataDeletionStore } from "../../shared/stores/accounts/data-deletions.ts";
import { openTable } from "../../shared/stores/client.ts";
import { quarantineStore } from "../../shared/stores/dead-letters/quarantine.ts";
import { dueStore } from "../../shared/stores/delivery/due-attempts.ts";
import { eventBodyStore } from "../../shared/stores/delivery/event-bodies.ts";
import { waitingDeliveryStore } from "../../shared/stores/delivery/waiting-deliveries.ts";
import { erasureStore } from "../../shared/stores/erasure/erasures.ts";
import { holdStore } from "../../shared/stores/holds/holds.ts";
import { conversationStore } from "../../shared/stores/inbox/conversations.ts";
import { messageStore } from "../../shared/stores/inbox/messages.ts";
import { outboundMessageStore } from "../../shared/stores/inbox/outbound-messages.ts";
import { budgetStore } from "../../shared/stores/sending/budgets.ts";
import { dueSendStore } from "../../shared/stores/sending/due-sends.ts";
import { sendRecordStore } from "../../shared/stores/sending/send-records.ts";
import { endpointStore } from "../../shared/stores/webhooks/endpoints.ts";

/** What the tasks of the sweep use. */
export type AllSweepPorts = SweepPorts &
  OverduePorts &
  SettlePorts &
  HoldExpiryPorts &
  PurgePorts &
  PurgeLettersPorts &
  PurgeUploadsPorts &
  DueCheckPorts &
  ResumeDeletionsPorts;

/** The sweeper. */
export function sweepPorts(): AllSweepPorts {
  const table = openTable(setting("table"));
  return {
    due: dueStore(table),
    waitingDeliveries: waitingDeliveryStore(table),
    endpoints: endpointStore(table),
    retries: openQueue(setting("deliveriesQueueUrl")),
    erasureWork: openQueue(setting("erasuresQueueUrl")),
    conversations: conversationStore(table),
    accounts: accountStore(table),
    accountChecks: accountCheckStore(table),
    dataDeletions: dataDeletionStore(table),
    budgets: budgetStore(table),
    sendRecords: sendRecordStore(table),
    dueSends: dueSendStore(table),
    holds: holdStore(table),
    outboundMessages: outboundMessageStore(table),
    messages: messageStore(table),
    erasures: erasureStore(table),
    eventBodies: eventBodyStore(table),
    events: openQueue(setting("eventsQueueUrl")),
    accountWork: openQueue(setting("accountsQueueUrl")),
    feedShards: tenantShards(tenantStateStore(table)),
    files: openFiles(setting("rawBucket")),
    uploadFiles: openFiles(setting("uploadBucket")),
    quarantine: quarantineStore(table),
    log: consoleLog,
  };
}
