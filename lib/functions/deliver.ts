import { Duration } from "aws-cdk-lib";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { table as names } from "#base/config/names.ts";
import { queueConcurrency } from "../config/concurrency.ts";
import { QueuePair } from "../constructs/queue-pair.ts";
import { Worker } from "../constructs/worker.ts";
import { type FunctionContext, keyVariables, queueVariables, tableVariables } from "./function-context.ts";

export function createEventsQueue(scope: Construct, deadLetters: Queue | null): QueuePair {
  return createQueue(scope, "Events", deadLetters);
}

export function createDeliveriesQueue(scope: Construct, deadLetters: Queue | null): QueuePair {
  return createQueue(scope, "Deliveries", deadLetters);
}

export function createSlowDeliveriesQueue(scope: Construct, deadLetters: Queue | null): QueuePair {
  return createQueue(scope, "SlowDeliveries", deadLetters);
}

function createQueue(
  scope: Construct,
  name: "Events" | "Deliveries" | "SlowDeliveries",
  deadLetters: Queue | null,
): QueuePair {
  return new QueuePair(scope, name, {
    deadLetters,
    retention: Duration.days(14),
  });
}

/**
 * An attempt of a slow endpoint may hold its invocation for 15 seconds. Attempts of this time share one: an endpoint that
 * hangs at three events a second takes a third of the invocations. A delivery that already waited one second waits one more.
 */
const SLOW_BATCH_WINDOW = Duration.seconds(1);

/** Delivers events to the tenants' webhook endpoints. */
export function createDeliver(scope: Construct, context: FunctionContext): Worker {
  const { data, queues, settings, code } = context;
  const concurrency = queueConcurrency(settings);
  const deliver = new Worker(scope, "Deliver", {
    description: "Parley: delivers events to the tenants' webhook endpoints",
    code: code("Deliver"),
    memoryMegabytes: 512,
    environment: {
      ...tableVariables(context),
      ...keyVariables(context),
      ...queueVariables(context, "Events", "Deliveries", "SlowDeliveries", "Mails", "Realtime"),
    },
    // The deliveries that wait for an endpoint are sent to the queue page by page.
    sendsToItself: true,
  })
    .addQueue(queues.Events.queue, concurrency.Events)
    .addQueue(queues.Deliveries.queue, concurrency.Deliveries)
    .addQueue(queues.SlowDeliveries.queue, concurrency.SlowDeliveries, {
      maxBatchingWindow: SLOW_BATCH_WINDOW,
    });
  data.table.allow(deliver.functionRole, {
    actions: ["GetItem", "BatchGetItem", "Query"],
    // It calls strangers: it writes no message, key, user, hold or sign-in link.
    writesUnder: {
      // New deliveries, bodies of events, claims of counters, and audit rows.
      PutItem: ["D#", "E#", "N#", "A#"],
      // Deliveries, due attempts, slots, counters, and of the tenants' own rows the health of endpoints.
      UpdateItem: ["D#", "Q#", "W#", "S#", "T#"],
    },
    // The deliveries that wait while their endpoint's circuit is open.
    indexes: [names.failingIndex.name],
  });
  data.key.allowDecrypt(deliver.functionRole, "webhook-secret");
  for (const name of ["Events", "Deliveries", "SlowDeliveries", "Mails", "Realtime"] as const)
    queues[name].allowSending(deliver.functionRole);
  return deliver;
}
