import { consoleLog } from "../../shared/aws/log.ts";
import { openQueue } from "../../shared/aws/queues.ts";
import { openVault } from "../../shared/aws/vault.ts";
import { optionalSetting, setting } from "../../shared/config/settings.ts";
import type { DeliverPorts } from "../../shared/flows/ports.ts";
import { createPoster } from "../../shared/net/poster.ts";
import { openTable } from "../../shared/table/client.ts";
import { counterStore } from "../../shared/table/counters.ts";
import { deliveryStore } from "../../shared/table/deliveries.ts";
import { dueStore } from "../../shared/table/due.ts";
import { endpointStore } from "../../shared/table/endpoints.ts";
import { eventBodyStore } from "../../shared/table/events.ts";
import { inFlightStore } from "../../shared/table/in-flight.ts";
import { messageStore } from "../../shared/table/messages.ts";
import { tenantStore } from "../../shared/table/tenants.ts";
import { openGate } from "./gate.ts";
import { mailer } from "./mail.ts";

/** The deliver worker. */
export function deliverPorts(): DeliverPorts {
  const table = openTable(setting("table"));
  return {
    endpoints: endpointStore(table),
    messages: messageStore(table),
    eventBodies: eventBodyStore(table),
    deliveries: deliveryStore(table),
    counters: counterStore(table),
    due: dueStore(table),
    retries: openQueue(setting("deliveriesQueueUrl")),
    events: openQueue(setting("eventsQueueUrl")),
    vault: openVault(setting("keyId")),
    poster: createPoster({ gate: openGate() }),
    inFlight: inFlightStore(table),
    tenants: tenantStore(table),
    mail: mailer(optionalSetting("mailFrom")),
    dice: Math.random,
    log: consoleLog,
  };
}
