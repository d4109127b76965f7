import { consoleLog } from "../../shared/aws/log.ts";
import { setting } from "../../shared/config/settings.ts";
import type { DeadLetterPorts } from "../../shared/flows/ports.ts";
import { openTable } from "../../shared/table/client.ts";
import { counterStore } from "../../shared/table/counters.ts";
import { deliveryStore } from "../../shared/table/deliveries.ts";
import { quarantineStore } from "../../shared/table/quarantine.ts";

/** The consumer of the dead-letter queues. */
export function deadLetterPorts(): DeadLetterPorts {
  const table = openTable(setting("table"));
  return {
    quarantine: quarantineStore(table),
    deliveries: deliveryStore(table),
    counters: counterStore(table),
    log: consoleLog,
  };
}
