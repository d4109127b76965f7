import { openFiles } from "../../shared/aws/files.ts";
import { consoleLog } from "../../shared/aws/log.ts";
import { openQueue } from "../../shared/aws/queues.ts";
import { openReceivedMessages } from "../../shared/aws/received-messages.ts";
import { setting } from "../../shared/config/settings.ts";
import type { ErasePorts } from "../../shared/flows/erasure/ports.ts";
import { tenantStateStore } from "../../shared/stores/access/tenant-states.ts";
import { openTable } from "../../shared/stores/client.ts";
import { erasureStore } from "../../shared/stores/erasure/erasures.ts";
import { traceStore } from "../../shared/stores/erasure/traces.ts";
import { socketStore } from "../../shared/stores/realtime/sockets.ts";
import { uploadRemovalStore } from "../../shared/stores/uploads/upload-removals.ts";
import { endpointStore } from "../../shared/stores/webhooks/endpoints.ts";
import type { WorkerPorts } from "../worker/batch.ts";

export function erasePorts(): ErasePorts & WorkerPorts {
  const table = openTable(setting("table"));
  return {
    erasures: erasureStore(table),
    traces: traceStore(table),
    tenantStates: tenantStateStore(table),
    endpoints: endpointStore(table),
    uploadFiles: openFiles(setting("uploadBucket")),
    uploadRemovals: uploadRemovalStore(table),
    erasureWork: openQueue(setting("erasuresQueueUrl")),
    sockets: socketStore(table),
    realtime: openQueue(setting("realtimeQueueUrl")),
    receivedMessages: openReceivedMessages(),
    log: consoleLog,
  };
}
