import { openReceivedMessages } from "#base/aws/received-messages.ts";
import { deadLetterQueueSettings } from "#base/config/settings.ts";
import type { DeadLetterPorts } from "#features/dead-letters/ports.ts";
import { quarantineStore } from "#features/dead-letters/store/quarantine.ts";
import { deliveryStore } from "#features/delivery/store/deliveries.ts";
import { dueStore } from "#features/delivery/store/due-attempts.ts";
import { counterStore } from "#features/stats/store.ts";
import { tenantStore } from "#features/tenants/store/tenants.ts";
import { type Host, processHost } from "../host.ts";
import { openServiceTable } from "../support/service-table.ts";
import type { WorkerPorts } from "../worker/batch.ts";

/** The consumer of the dead-letter queues. */
export function deadLetterPorts(host: Host = processHost): DeadLetterPorts & WorkerPorts {
  const { settings, clients, log } = host;
  const table = openServiceTable(host);
  return {
    findSourceQueue: deadLetterQueueSettings(settings),
    tenants: tenantStore(table),
    quarantine: quarantineStore(table),
    deliveries: deliveryStore(table),
    due: dueStore(table),
    counters: counterStore(table),
    receivedMessages: openReceivedMessages(clients.sqs),
    log,
  };
}
