import { consoleLog } from "../../shared/aws/log.ts";
import { openQueue } from "../../shared/aws/queues.ts";
import { openReceivedMessages } from "../../shared/aws/received-messages.ts";
import { openVault } from "../../shared/aws/vault.ts";
import { setting } from "../../shared/config/settings.ts";
import type { DeliverPorts } from "../../shared/flows/delivery/ports.ts";
import { createWebhookClient } from "../../shared/net/webhook-client.ts";
import { membershipStore } from "../../shared/stores/access/memberships.ts";
import { tenantStore } from "../../shared/stores/access/tenants.ts";
import { openTable } from "../../shared/stores/client.ts";
import { concurrencySlotStore } from "../../shared/stores/delivery/concurrency-slots.ts";
import { deliveryStore } from "../../shared/stores/delivery/deliveries.ts";
import { dueStore } from "../../shared/stores/delivery/due-attempts.ts";
import { eventBodyStore } from "../../shared/stores/delivery/event-bodies.ts";
import { messageStore } from "../../shared/stores/inbox/messages.ts";
import { counterStore } from "../../shared/stores/stats/counters.ts";
import { endpointStore } from "../../shared/stores/webhooks/endpoints.ts";
import { openGate } from "../support/egress-gate.ts";
import { mailer } from "../support/mail-sender.ts";
import type { WorkerPorts } from "../worker/batch.ts";

/** The deliver worker. */
export function deliverPorts(): DeliverPorts & WorkerPorts {
  const table = openTable(setting("table"));
  return {
    endpoints: endpointStore(table),
    messages: messageStore(table),
    eventBodies: eventBodyStore(table),
    deliveries: deliveryStore(table),
    counters: counterStore(table),
    due: dueStore(table),
    retries: openQueue(setting("deliveriesQueueUrl")),
    slowRetries: openQueue(setting("slowDeliveriesQueueUrl")),
    events: openQueue(setting("eventsQueueUrl")),
    realtime: openQueue(setting("realtimeQueueUrl")),
    vault: openVault(setting("keyId")),
    webhookClient: createWebhookClient({ gate: openGate() }),
    concurrencySlots: concurrencySlotStore(table),
    memberships: membershipStore(table),
    tenants: tenantStore(table),
    mail: mailer(),
    random: Math.random,
    receivedMessages: openReceivedMessages(),
    log: consoleLog,
  };
}
