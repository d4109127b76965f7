import { consoleLog } from "../../shared/aws/log.ts";
import { deadLetterQueueSettings, setting } from "../../shared/config/settings.ts";
import type { DeadLetterPorts } from "../../shared/flows/ports.ts";
import { openTable } from "../../shared/table/client.ts";
import { counterStore } from "../../shared/table/counters.ts";
import { deliveryStore } from "../../shared/table/deliveries.ts";
import { dueStore } from "../../shared/table/due.ts";
import { quarantineStore } from "../../shared/table/quarantine.ts";

/** The consumer of the dead-letter queues. */
export function deadLetterPorts(): DeadLetterPorts {
  const table = openTable(setting("table"));
  return {
    queueBehind: deadLetterQueueSettings(),
    quarantine: quarantineStore(table),
    deliveries: deliveryStore(table),
    due: dueStore(table),
    counters: counterStore(table),
    log: consoleLog,
  };
}
