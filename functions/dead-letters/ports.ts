import { consoleLog } from "../../shared/aws/log.ts";
import { openReceivedMessages } from "../../shared/aws/received-messages.ts";
import { deadLetterQueueSettings, setting } from "../../shared/config/settings.ts";
import type { DeadLetterPorts } from "../../shared/flows/dead-letters/ports.ts";
import { tenantStore } from "../../shared/stores/access/tenants.ts";
import { openTable } from "../../shared/stores/client.ts";
import { quarantineStore } from "../../shared/stores/dead-letters/quarantine.ts";
import { deliveryStore } from "../../shared/stores/delivery/deliveries.ts";
import { dueStore } from "../../shared/stores/delivery/due-attempts.ts";
import { counterStore } from "../../shared/stores/stats/counters.ts";
import type { WorkerPorts } from "../worker/batch.ts";

/** The consumer of the dead-letter queues. */
export function deadLetterPorts(): DeadLetterPorts & WorkerPorts {
  const table = openTable(setting("table"));
  return {
    findSourceQueue: deadLetterQueueSettings(),
    tenants: tenantStore(table),
    quarantine: quarantineStore(table),
    deliveries: deliveryStore(table),
    due: dueStore(table),
    counters: counterStore(table),
    receivedMessages: openReceivedMessages(),
    log: consoleLog,
  };
}
