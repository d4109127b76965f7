import { uploadObjects } from "./files.ts";
import { log } from "./process.ts";
import { erasureWork, realtime } from "./queues.ts";
import { endpoints, erasures, sockets, tenantStates, traces, uploadRemovals } from "./stores.ts";

/** What each pass of an erasure uses: the first one, of the request, and those of the function `Erase`. */
export const erasurePassPorts = {
  erasures,
  traces,
  tenantStates,
  endpoints,
  uploadFiles: uploadObjects,
  uploadRemovals,
  erasureWork,
  sockets,
  realtime,
  log,
};
