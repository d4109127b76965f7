import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SQSClient } from "@aws-sdk/client-sqs";
import { openQueue } from "../../shared/aws/queues.ts";
import { queueUrlNames } from "../../shared/config/names.ts";
import { setting } from "../../shared/config/settings.ts";
import type { RedrivePorts } from "../../shared/flows/ports.ts";
import { parseUpdates } from "../../shared/platforms/parse.ts";
import { openTable } from "../../shared/table/client.ts";
import { deliveryStore } from "../../shared/table/deliveries.ts";
import { dueStore } from "../../shared/table/due.ts";
import { endpointStore } from "../../shared/table/endpoints.ts";
import { erasureStore } from "../../shared/table/erasures.ts";
import { eventBodyStore } from "../../shared/table/events.ts";
import { messageStore } from "../../shared/table/messages.ts";
import { quarantineStore } from "../../shared/table/quarantine.ts";
import { clientSettings, type Environment } from "./tenants.ts";

/** The commands that look into dead letters: the table alone, and to send one again the queue that it came from. */
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
    queueOf: (queue) => openQueue(setting(queueUrlNames[queue], environment), sqs),
  };
}
