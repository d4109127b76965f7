import { openFiles } from "#base/aws/files.ts";
import { openQueue } from "#base/aws/queues.ts";
import { openReceivedMessages } from "#base/aws/received-messages.ts";
import { setting } from "#base/config/settings.ts";
import type { ErasePorts } from "#features/erasure/ports.ts";
import { erasureStore } from "#features/erasure/store/erasures.ts";
import { traceStore } from "#features/erasure/store/traces.ts";
import { socketStore } from "#features/realtime/store/sockets.ts";
import { tenantStateStore } from "#features/tenants/store/tenant-states.ts";
import { uploadRemovalStore } from "#features/uploads/store/upload-removals.ts";
import { endpointStore } from "#features/webhooks/store/endpoints.ts";
import { type Host, processHost } from "../host.ts";
import { openServiceTable } from "../support/service-table.ts";
import type { WorkerPorts } from "../worker/batch.ts";

export function erasePorts(host: Host = processHost): ErasePorts & WorkerPorts {
  const { settings, clients, log } = host;
  const table = openServiceTable(host);
  return {
    erasures: erasureStore(table),
    traces: traceStore(table),
    tenantStates: tenantStateStore(table),
    endpoints: endpointStore(table),
    uploadFiles: openFiles(setting("uploadBucket", settings), clients.s3),
    uploadRemovals: uploadRemovalStore(table),
    erasureWork: openQueue(setting("erasuresQueueUrl", settings), clients.sqs),
    sockets: socketStore(table),
    realtime: openQueue(setting("realtimeQueueUrl", settings), clients.sqs),
    receivedMessages: openReceivedMessages(clients.sqs),
    log,
  };
}
