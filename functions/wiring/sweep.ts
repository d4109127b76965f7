import { consoleLog } from "../../shared/aws/log.ts";
import { openQueue } from "../../shared/aws/queues.ts";
import { setting } from "../../shared/config/settings.ts";
import type { SweepPorts } from "../../shared/flows/ports.ts";
import { openTable } from "../../shared/table/client.ts";
import { dueStore } from "../../shared/table/due.ts";

/** The sweeper. */
export function sweepPorts(): SweepPorts {
  return {
    due: dueStore(openTable(setting("table"))),
    retries: openQueue(setting("deliveriesQueueUrl")),
    log: consoleLog,
  };
}
