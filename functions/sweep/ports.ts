import { openDeadLetterQueues } from "#base/aws/dead-letter-queues.ts";
import { openDepths } from "#base/aws/depths.ts";
import { openFiles } from "#base/aws/files.ts";
import { openKeyState } from "#base/aws/key-state.ts";
import { openQueue } from "#base/aws/queues.ts";
import { backgroundQueues, queueUrlNames } from "#base/config/names.ts";
import { deadLetterQueueUrlSettings, setting, sourceQueueSettings } from "#base/config/settings.ts";
import type { ResumeDeletionsPorts } from "#features/accounts/flows/platform-callbacks/ports.ts";
import type { DueCheckPorts, KeyStatePorts } from "#features/accounts/ports.ts";
import { accountCheckStore } from "#features/accounts/store/account-checks.ts";
import { accountStore } from "#features/accounts/store/accounts.ts";
import { dataDeletionStore } from "#features/accounts/store/data-deletions.ts";
import type { EmptyQueuesPorts, PurgeLettersPorts, WaitingQueuesPorts } from "#features/dead-letters/ports.ts";
import { quarantineStore } from "#features/dead-letters/store/quarantine.ts";
import type { OverduePorts, SweepPorts } from "#features/delivery/ports.ts";
import { deliveryStore } from "#features/delivery/store/deliveries.ts";
import { dueStore } from "#features/delivery/store/due-attempts.ts";
import { eventBodyStore } from "#features/delivery/store/event-bodies.ts";
import { waitingDeliveryStore } from "#features/delivery/store/waiting-deliveries.ts";
import { erasureStore } from "#features/erasure/store/erasures.ts";
import type { HoldExpiryPorts } from "#features/holds/ports.ts";
import { holdStore } from "#features/holds/store/holds.ts";
import { tenantShards } from "#features/inbox/flows/feed-shards.ts";
import type { PurgePorts } from "#features/inbox/ports.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { outboundMessageStore } from "#features/inbox/store/outbound-messages.ts";
import type { SettlePorts } from "#features/sending/ports.ts";
import { budgetStore } from "#features/sending/store/budgets.ts";
import { dueSendStore, sendRecordStore } from "#features/sending/store/send-records.ts";
import { counterStore } from "#features/stats/store.ts";
import { tenantStateStore } from "#features/tenants/store/tenant-states.ts";
import { tenantStore } from "#features/tenants/store/tenants.ts";
import type { PurgeUploadsPorts } from "#features/uploads/ports.ts";
import { endpointStore } from "#features/webhooks/store/endpoints.ts";
import { type Host, processHost } from "../host.ts";
import { openServiceTable } from "../support/service-table.ts";

/** What the tasks of the sweep use. */
export type AllSweepPorts = SweepPorts &
  OverduePorts &
  SettlePorts &
  HoldExpiryPorts &
  PurgePorts &
  PurgeLettersPorts &
  EmptyQueuesPorts &
  WaitingQueuesPorts &
  KeyStatePorts &
  PurgeUploadsPorts &
  DueCheckPorts &
  ResumeDeletionsPorts;

/** The sweeper. */
export function sweepPorts(host: Host = processHost): AllSweepPorts {
  const { settings, clients, log } = host;
  const table = openServiceTable(host);
  return {
    due: dueStore(table),
    waitingDeliveries: waitingDeliveryStore(table),
    endpoints: endpointStore(table),
    retries: openQueue(setting("deliveriesQueueUrl", settings), clients.sqs),
    erasureWork: openQueue(setting("erasuresQueueUrl", settings), clients.sqs),
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
    events: openQueue(setting("eventsQueueUrl", settings), clients.sqs),
    accountWork: openQueue(setting("accountsQueueUrl", settings), clients.sqs),
    feedShards: tenantShards(tenantStateStore(table)),
    files: openFiles(setting("rawBucket", settings), clients.s3),
    uploadFiles: openFiles(setting("uploadBucket", settings), clients.s3),
    backgroundQueues: openDepths(
      new Map(backgroundQueues.map((name) => [name, setting(queueUrlNames[name], settings)])),
      clients.sqs,
    ),
    deadLetterQueues: openDeadLetterQueues(deadLetterQueueUrlSettings(settings), clients.sqs),
    findSourceQueue: sourceQueueSettings(settings),
    tenants: tenantStore(table),
    deliveries: deliveryStore(table),
    counters: counterStore(table),
    readKeyState: openKeyState(setting("keyId", settings), clients.kms),
    quarantine: quarantineStore(table),
    log,
  };
}
