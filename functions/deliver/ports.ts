import { openQueue } from "#base/aws/queues.ts";
import { openReceivedMessages } from "#base/aws/received-messages.ts";
import { openVault } from "#base/aws/vault.ts";
import { setting } from "#base/config/settings.ts";
import { createWebhookClient } from "#base/net/webhook-client.ts";
import type { DeliverPorts } from "#features/delivery/ports.ts";
import { concurrencySlotStore } from "#features/delivery/store/concurrency-slots.ts";
import { deliveryStore } from "#features/delivery/store/deliveries.ts";
import { dueStore } from "#features/delivery/store/due-attempts.ts";
import { eventBodyStore } from "#features/delivery/store/event-bodies.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { nameWaitStore } from "#features/inbox/store/name-waits.ts";
import { counterStore } from "#features/stats/store.ts";
import { tenantStateStore } from "#features/tenants/store/tenant-states.ts";
import { endpointStore } from "#features/webhooks/store/endpoints.ts";
import { type Host, processHost } from "../host.ts";
import { openGate } from "../support/egress-gate.ts";
import { openServiceTable } from "../support/service-table.ts";
import type { WorkerPorts } from "../worker/batch.ts";

/** The deliver worker. */
export function deliverPorts(host: Host = processHost): DeliverPorts & WorkerPorts {
  const { settings, clients, log } = host;
  const table = openServiceTable(host);
  return {
    endpoints: endpointStore(table),
    messages: messageStore(table),
    nameWaits: nameWaitStore(table),
    eventBodies: eventBodyStore(table),
    deliveries: deliveryStore(table),
    counters: counterStore(table),
    tenantStates: tenantStateStore(table),
    due: dueStore(table),
    retries: openQueue(setting("deliveriesQueueUrl", settings), clients.sqs),
    slowRetries: openQueue(setting("slowDeliveriesQueueUrl", settings), clients.sqs),
    events: openQueue(setting("eventsQueueUrl", settings), clients.sqs),
    realtime: openQueue(setting("realtimeQueueUrl", settings), clients.sqs),
    vault: openVault(setting("keyId", settings), clients.kms),
    webhookClient: clients.webhookClient ?? createWebhookClient({ gate: openGate(host) }),
    concurrencySlots: concurrencySlotStore(table, { random: host.random }),
    mails: openQueue(setting("mailsQueueUrl", settings), clients.sqs),
    random: host.random,
    receivedMessages: openReceivedMessages(clients.sqs),
    log,
  };
}
