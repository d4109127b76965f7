import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SQSClient } from "@aws-sdk/client-sqs";
import { openQueue } from "../../shared/aws/queues.ts";
import { queueUrlNames } from "../../shared/config/names.ts";
import { setting } from "../../shared/config/settings.ts";
import type { RedrivePorts } from "../../shared/flows/dead-letters/ports.ts";
import { parseUpdates } from "../../shared/platforms/parse/parse.ts";
import { openTable } from "../../shared/stores/client.ts";
import { quarantineStore } from "../../shared/stores/dead-letters/quarantine.ts";
import { deliveryStore } from "../../shared/stores/delivery/deliveries.ts";
import { dueStore } from "../../shared/stores/delivery/due-attempts.ts";
import { eventBodyStore } from "../../shared/stores/delivery/event-bodies.ts";
import { erasureStore } from "../../shared/stores/erasure/erasures.ts";
import { messageStore } from "../../shared/stores/inbox/messages.ts";
import { endpointStore } from "../../shared/stores/webhooks/endpoints.ts";
import { clientSettings, type Environment } from "./tenant-ports.ts";

/** The ports of the dead-letter commands: the table, and for a redrive the source queue. */
export function redrivePorts(environment: Environment): RedrivePorts {
  const { services, tableService } = clientSettings(environment);
  const table = openTable(setting("table", environment), new DynamoDBClient(tableService));
  const sqs = new SQSClient(services);
  return {
    quarantine: quarantineStore(table),
    deliveries: deliveryStore(table),
    endpoints: endpointStore(table),
    messages: messageStore(table),
    eventBodies: eventBodyStore(table),
    erasures: erasureStore(table),
    due: dueStore(table),
    parseUpdates,
    queueFor: (queue) => openQueue(setting(queueUrlNames[queue], environment), sqs),
  };
}
