import { consoleLog } from "../../shared/aws/log.ts";
import { openQueue } from "../../shared/aws/queues.ts";
import { setting } from "../../shared/config/settings.ts";
import type { ErasePorts } from "../../shared/flows/ports.ts";
import { openTable } from "../../shared/table/client.ts";
import { endpointStore } from "../../shared/table/endpoints.ts";
import { erasureStore } from "../../shared/table/erasures.ts";
import { traceStore } from "../../shared/table/erasures-traces.ts";
import { tenantStateStore } from "../../shared/table/tenant-states.ts";

/** The erase worker. */
export function erasePorts(): ErasePorts {
  const table = openTable(setting("table"));
  return {
    erasures: erasureStore(table),
    traces: traceStore(table),
    tenantStates: tenantStateStore(table),
    endpoints: endpointStore(table),
    erasureWork: openQueue(setting("erasuresQueueUrl")),
    log: consoleLog,
  };
}
