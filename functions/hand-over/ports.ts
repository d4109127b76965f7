import type { HandOverPorts } from "#features/uploads/ports.ts";
import { compose } from "../compose.ts";
import { type Host, processHost } from "../host.ts";
import { uploadLinks, uploadObjects } from "../ports/files.ts";
import { vault } from "../ports/keys.ts";
import { platformFor } from "../ports/platforms.ts";
import { log } from "../ports/process.ts";
import { accountWork, events, realtime, receivedMessages } from "../ports/queues.ts";
import { accounts, attachmentOwners, budgets, conversations, eventBodies, uploads } from "../ports/stores.ts";
import type { WorkerPorts } from "../worker/batch.ts";

export function handOverPorts(host: Host = processHost): HandOverPorts & WorkerPorts {
  return compose(host, {
    uploads,
    conversations,
    accounts,
    budgets,
    attachmentOwners,
    eventBodies,
    events,
    accountWork,
    realtime,
    vault,
    platformFor,
    uploadLinks,
    uploadFiles: uploadObjects,
    receivedMessages,
    log,
  });
}
