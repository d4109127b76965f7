import type { ResumeDeletionsPorts } from "#features/accounts/flows/platform-callbacks/ports.ts";
import type { DueCheckPorts, KeyStatePorts } from "#features/accounts/ports.ts";
import type { EmptyQueuesPorts, PurgeLettersPorts, WaitingQueuesPorts } from "#features/dead-letters/ports.ts";
import type { OverduePorts, SweepPorts } from "#features/delivery/ports.ts";
import type { HoldExpiryPorts } from "#features/holds/ports.ts";
import type { PurgePorts } from "#features/inbox/ports.ts";
import type { SettlePorts } from "#features/sending/ports.ts";
import type { PurgeUploadsPorts } from "#features/uploads/ports.ts";
import { compose } from "../compose.ts";
import { type Host, processHost } from "../host.ts";
import { files, uploadObjects } from "../ports/files.ts";
import { readKeyState } from "../ports/keys.ts";
import { log } from "../ports/process.ts";
import {
  accountWork,
  backgroundQueues,
  deadLetterQueues,
  erasureWork,
  events,
  findSourceQueue,
  retries,
} from "../ports/queues.ts";
import {
  accountChecks,
  accounts,
  budgets,
  conversations,
  counters,
  dataDeletions,
  deliveries,
  due,
  dueSends,
  endpoints,
  erasures,
  eventBodies,
  feedShards,
  holds,
  messages,
  outboundMessages,
  quarantine,
  sendRecords,
  tenants,
  waitingDeliveries,
} from "../ports/stores.ts";

/** What the tasks of the sweep use. */
export type AllSweepPorts = SweepPorts &
  OverduePorts &
  SettlePorts &
  HoldExpiryPorts &
  PurgePorts &
  PurgeLettersPorts &
  EmptyQueuesPorts &
  WaitingQueuesPorts &
  KeyStatePorts &
  PurgeUploadsPorts &
  DueCheckPorts &
  ResumeDeletionsPorts;

/** The sweeper. */
export function sweepPorts(host: Host = processHost): AllSweepPorts {
  return compose(host, {
    due,
    waitingDeliveries,
    endpoints,
    retries,
    erasureWork,
    conversations,
    accounts,
    accountChecks,
    dataDeletions,
    budgets,
    sendRecords,
    dueSends,
    holds,
    outboundMessages,
    messages,
    erasures,
    eventBodies,
    events,
    accountWork,
    feedShards,
    files,
    uploadFiles: uploadObjects,
    backgroundQueues,
    deadLetterQueues,
    findSourceQueue,
    tenants,
    deliveries,
    counters,
    readKeyState,
    quarantine,
    log,
  });
}
