import { openQueue } from "#base/aws/queues.ts";
import type { QueueName } from "#base/config/names.ts";
import type { Millis } from "#base/kernel/time.ts";
import { openTable } from "#base/table/client.ts";
import { type RedriveResult, redriveQueue } from "#features/dead-letters/flows/redrive.ts";
import type { RedrivePorts } from "#features/dead-letters/ports.ts";
import { quarantineStore } from "#features/dead-letters/store/quarantine.ts";
import { deliveryStore } from "#features/delivery/store/deliveries.ts";
import { dueStore } from "#features/delivery/store/due-attempts.ts";
import { eventBodyStore } from "#features/delivery/store/event-bodies.ts";
import { erasureStore } from "#features/erasure/store/erasures.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { restoreStore } from "#features/recovery/store/restores.ts";
import { endpointStore } from "#features/webhooks/store/endpoints.ts";
import { createApp } from "#http/app.ts";
import { parseUpdates } from "#platforms/platforms.ts";
import { compose } from "../../../functions/compose.ts";
import { deliverWorker } from "../../../functions/deliver/worker.ts";
import type { Host } from "../../../functions/host.ts";
import { ingestWorker } from "../../../functions/ingest/worker.ts";
import { intakeApp } from "../../../functions/intake/app.ts";
import { profileWorker } from "../../../functions/profile/worker.ts";
import { sweepWorker } from "../../../functions/sweep/worker.ts";

export type Release = ReturnType<typeof openRelease>;

/** The functions of a release between a platform's webhook and a receiver. */
export function openRelease(
  host: Host,
  tableName: string,
  queueUrls: Readonly<Record<QueueName, string>>,
  now: () => Millis,
) {
  const functions = compose(host);
  const { clients, log } = host;
  const table = openTable(tableName, clients.table);
  const redrivePorts: RedrivePorts = {
    quarantine: quarantineStore(table),
    deliveries: deliveryStore(table),
    endpoints: endpointStore(table),
    messages: messageStore(table),
    eventBodies: eventBodyStore(table),
    erasures: erasureStore(table),
    due: dueStore(table),
    restores: restoreStore(table),
    parseUpdates,
    queueFor: (queue) => openQueue(queueUrls[queue], clients.sqs),
  };
  return {
    intake: createApp({ ...intakeApp(functions.intake()), now, log }),
    ingest: ingestWorker(functions.ingest(), now),
    deliver: deliverWorker(functions.deliver(), now),
    profile: profileWorker(functions.profile(), now),
    sweep: sweepWorker(functions.sweep(), now),
    /** Redrives the dead letters of a queue, as `dlq redrive --queue` does. */
    async redrive(queue: QueueName): Promise<RedriveResult[]> {
      const results: RedriveResult[] = [];
      for await (const page of redriveQueue(redrivePorts, queue, now)) results.push(...page);
      return results;
    },
  };
}
