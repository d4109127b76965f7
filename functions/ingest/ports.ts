import type { IngestPorts } from "#features/inbox/ports.ts";
import { parseUpdates, selectUpdates } from "#platforms/platforms.ts";
import { compose } from "../compose.ts";
import { type Host, processHost } from "../host.ts";
import { files } from "../ports/files.ts";
import { log } from "../ports/process.ts";
import { events, inbound, profileWork, receivedMessages } from "../ports/queues.ts";
import {
  accounts,
  conversations,
  counters,
  dueSends,
  erasures,
  eventBodies,
  messageChanges,
  messages,
  outboundMessages,
  pendingChanges,
  rawCopies,
  sendRecords,
  tenantStates,
} from "../ports/stores.ts";
import type { WorkerPorts } from "../worker/batch.ts";

export function ingestPorts(host: Host = processHost): IngestPorts & WorkerPorts {
  return compose(host, {
    parseUpdates: () => parseUpdates,
    selectUpdates: () => selectUpdates,
    files,
    rawCopies,
    accounts,
    tenantStates,
    erasures,
    messages,
    outboundMessages,
    sendRecords,
    dueSends,
    conversations,
    messageChanges,
    pendingChanges,
    eventBodies,
    counters,
    inbound,
    events,
    profiles: profileWork,
    receivedMessages,
    log,
  });
}
