import type { DeliverPorts } from "#features/delivery/ports.ts";
import { compose } from "../compose.ts";
import { type Host, processHost } from "../host.ts";
import { vault } from "../ports/keys.ts";
import { webhookClient } from "../ports/outside.ts";
import { log, random } from "../ports/process.ts";
import { events, mails, realtime, receivedMessages, retries, slowRetries } from "../ports/queues.ts";
import {
  concurrencySlots,
  counters,
  deliveries,
  due,
  endpoints,
  eventBodies,
  messages,
  nameWaits,
  tenantStates,
} from "../ports/stores.ts";
import type { WorkerPorts } from "../worker/batch.ts";

/** The deliver worker. */
export function deliverPorts(host: Host = processHost): DeliverPorts & WorkerPorts {
  return compose(host, {
    endpoints,
    messages,
    nameWaits,
    eventBodies,
    deliveries,
    counters,
    tenantStates,
    due,
    retries,
    slowRetries,
    events,
    realtime,
    vault,
    webhookClient,
    concurrencySlots,
    mails,
    random,
    receivedMessages,
    log,
  });
}
