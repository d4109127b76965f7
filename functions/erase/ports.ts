import type { ErasePorts } from "#features/erasure/ports.ts";
import { compose } from "../compose.ts";
import { type Host, processHost } from "../host.ts";
import { uploadObjects } from "../ports/files.ts";
import { log } from "../ports/process.ts";
import { erasureWork, realtime, receivedMessages } from "../ports/queues.ts";
import { endpoints, erasures, sockets, tenantStates, traces, uploadRemovals } from "../ports/stores.ts";
import type { WorkerPorts } from "../worker/batch.ts";

export function erasePorts(host: Host = processHost): ErasePorts & WorkerPorts {
  return compose(host, {
    erasures,
    traces,
    tenantStates,
    endpoints,
    uploadFiles: uploadObjects,
    uploadRemovals,
    erasureWork,
    sockets,
    realtime,
    receivedMessages,
    log,
  });
}
