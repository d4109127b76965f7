import type { ProfilePorts } from "#features/inbox/ports.ts";
import { compose } from "../compose.ts";
import { type Host, processHost } from "../host.ts";
import { vault } from "../ports/keys.ts";
import { platformFor } from "../ports/platforms.ts";
import { log } from "../ports/process.ts";
import { events, realtime, receivedMessages } from "../ports/queues.ts";
import { accounts, conversations, endpoints, eventBodies, nameWaits, profiles } from "../ports/stores.ts";
import type { WorkerPorts } from "../worker/batch.ts";

export function profilePorts(host: Host = processHost): ProfilePorts & WorkerPorts {
  return compose(host, {
    conversations,
    accounts,
    vault,
    platformFor,
    profiles,
    nameWaits,
    endpoints,
    eventBodies,
    events,
    realtime,
    receivedMessages,
    log,
  });
}
