import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SQSClient } from "@aws-sdk/client-sqs";
import { openQueue } from "#base/aws/queues.ts";
import { queueUrlNames } from "#base/config/names.ts";
import { setting } from "#base/config/settings.ts";
import { openTable } from "#base/table/client.ts";
import type { RedrivePorts } from "#features/dead-letters/ports.ts";
import { quarantineStore } from "#features/dead-letters/store/quarantine.ts";
import { deliveryStore } from "#features/delivery/store/deliveries.ts";
import { dueStore } from "#features/delivery/store/due-attempts.ts";
import { eventBodyStore } from "#features/delivery/store/event-bodies.ts";
import { erasureStore } from "#features/erasure/store/erasures.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { restoreStore } from "#features/recovery/store/restores.ts";
import { endpointStore } from "#features/webhooks/store/endpoints.ts";
import { parseUpdates } from "#platforms/platforms.ts";
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
    restores: restoreStore(table),
    parseUpdates,
    queueFor: (queue) => openQueue(setting(queueUrlNames[queue], environment), sqs),
  };
}
