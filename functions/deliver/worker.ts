import type { SQSEvent, SQSRecord } from "aws-lambda";
import { allDone } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { runWithTrace } from "#base/kernel/trace.ts";
import { done, type RecordOutcome, unreadable } from "#base/queues/record-outcome.ts";
import { decodeEvent, type EventMessage } from "#features/delivery/event-queue.ts";
import { type Batch, newBatch } from "#features/delivery/flows/attempt.ts";
import { drainEndpoint } from "#features/delivery/flows/drain.ts";
import { flushHealth } from "#features/delivery/flows/endpoint-health.ts";
import { evaluateFailingEndpoint } from "#features/delivery/flows/evaluate-failing-endpoint.ts";
import { fanOut } from "#features/delivery/flows/fan-out.ts";
import { postponeInOutage } from "#features/delivery/flows/postpone.ts";
import { probeEndpoint } from "#features/delivery/flows/probe.ts";
import { retryDelivery } from "#features/delivery/flows/retry.ts";
import { endWaitedEvent } from "#features/delivery/flows/waited-event.ts";
import type { DeliverPorts } from "#features/delivery/ports.ts";
import { decodeDeliveries } from "#features/delivery/queue.ts";
import { loadEventsToPublish, type PublishedEvents } from "#features/delivery/rendered-events.ts";
import { growFeeds } from "#features/inbox/flows/feed-shards.ts";
import { type EndpointsWithSockets, requestEventPushes } from "#features/realtime/flows/request-event-pushes.ts";
import { saveTally } from "#features/stats/count.ts";
import { processRecords, queueName, type WorkerPorts } from "../worker/batch.ts";
import { collectMetrics } from "../worker/collect-metrics.ts";
import { type BatchReport, queueWorker, type WorkerContext } from "../worker/middleware.ts";
import { receiveCount } from "../worker/redelivery.ts";

const worker = "deliver";

/**
 * The deliver worker, behind three queues: it sends an event to every subscribed endpoint, and a retry to one endpoint.
 * All records of a batch run concurrently and every POST has its own deadline, so that no record waits for another's
 * receiver.
 */
export function deliverWorker(processPorts: DeliverPorts & WorkerPorts, now: () => Millis) {
  return queueWorker(worker, processPorts.log, (event, invocation) => {
    const metrics = collectMetrics(processPorts.log);
    const ports = { ...processPorts, log: metrics.log };
    return deliverBatch(ports, { event, invocation, now }).finally(metrics.flush);
  });
}

async function deliverBatch(
  ports: DeliverPorts & WorkerPorts,
  { event, invocation, now }: { event: SQSEvent; invocation: WorkerContext; now: () => Millis },
): Promise<BatchReport> {
  const batch = newBatch(now, isFrom(ports.slowRetries, event));
  const report = await processRecords(event, invocation, { worker, ports }, (records) => {
    const parsedRecords = records.map((record) => ({ record, message: decodeEvent(record.body) }));
    const events = parsedRecords.flatMap(({ record, message }) =>
      message ? [{ ...message, received: receiveCount(record) }] : [],
    );
    const batchData = loadBatchData(ports, events, now());
    return new Map(
      parsedRecords.map(({ record, message }): [string, Promise<RecordOutcome>] => {
        const work = message
          ? runWithTrace(message.traceId ?? null, () => fanOutEvent(ports, { record, message, batchData }, batch))
          : processRetryOrTask(ports, record, batch);
        return [record.messageId, work.catch((error) => postponeOrThrow(ports, { record, message, error }, now()))];
      }),
    );
  });
  const counting = saveTally(ports, batch.tally, now(), (tenant, messagesInHour) =>
    growFeeds(ports.tenantStates, tenant, messagesInHour),
  );
  await allDone([counting, flushHealth(ports, batch.health, now())]);
  return report;
}

/** Postpones a record that fails in an outage of AWS. Every other error is thrown again: the queue redelivers it. */
async function postponeOrThrow(
  ports: DeliverPorts,
  { record, message: event, error }: { record: SQSRecord; message: EventMessage | null; error: unknown },
  now: Millis,
): Promise<RecordOutcome> {
  const failedMessage = { body: record.body, event, receives: receiveCount(record), error };
  if (await postponeInOutage(ports, failedMessage, now)) return done;
  throw error;
}

/** A batch comes from one queue. */
function isFrom(queue: DeliverPorts["slowRetries"], { Records: [first] }: SQSEvent): boolean {
  return first !== undefined && queueName(first) === queue.name;
}

/** Processes a message of a deliveries queue: an attempt of one delivery, or a task of an endpoint. */
async function processRetryOrTask(ports: DeliverPorts, record: SQSRecord, batch: Batch): Promise<RecordOutcome> {
  const { now } = batch;
  const message = decodeDeliveries(record.body);
  if (message === null) return unreadable;
  if (message.kind === "attempt") {
    const { attempt } = message;
    return runWithTrace(attempt.traceId ?? null, () => retryDelivery(ports, attempt, batch));
  }
  const { task } = message;
  switch (task.kind) {
    case "probe":
      return probeEndpoint(ports, task, batch);
    case "drain":
      return drainEndpoint(ports, task, now());
    case "warn":
      return evaluateFailingEndpoint(ports, task, receiveCount(record) > 1, now());
  }
}

/** A record of the events queue, its decoded message, and what the batch reads for it. */
interface EventRecord {
  readonly record: SQSRecord;
  readonly message: EventMessage;
  readonly batchData: BatchData;
}

async function fanOutEvent(
  ports: DeliverPorts,
  { record, message, batchData }: EventRecord,
  batch: Batch,
): Promise<RecordOutcome> {
  const [loaded, bodies] = await allDone([
    batchData.endpoints.get(message.tenant),
    batchData.bodies.get(message.tenant),
  ]);
  const received = receiveCount(record);
  const event = { ...message, repeated: message.repeated || received > 1 };
  const endpoints = loaded?.endpoints ?? [];
  const rendered = bodies?.rendered.get(event.eventUlid) ?? null;
  if (rendered && bodies && isPublishedByOther({ ...event, received }, bodies))
    return endWaitedEvent(ports, event, endpoints, batch.now());
  const publication = { event, rendered, endpoints };
  const [outcome] = await allDone([fanOut(ports, publication, batch), batchData.pushes.get(message.tenant)]);
  return outcome;
}

/** An event's message, and how often it was received. */
type ReceivedEvent = EventMessage & { readonly received: number };

/** Whether the wait of an event for the person's name was ended by another worker, which publishes it. */
function isPublishedByOther(
  { waited = false, received, eventUlid }: ReceivedEvent,
  { ended }: PublishedEvents,
): boolean {
  return waited && received === 1 && !ended.has(eventUlid);
}

/** Endpoints and event bodies, read once for each tenant of the batch, and the requests to push its events. */
interface BatchData {
  readonly endpoints: ReadonlyMap<TenantId, Promise<EndpointsWithSockets>>;
  readonly pushes: ReadonlyMap<TenantId, Promise<void>>;
  readonly bodies: ReadonlyMap<TenantId, Promise<PublishedEvents>>;
}

function loadBatchData(ports: DeliverPorts, events: readonly ReceivedEvent[], now: Millis): BatchData {
  const tenants = [...new Set(events.map((event) => event.tenant))].map((tenant) => ({
    tenant,
    events: events.filter((event) => event.tenant === tenant),
  }));
  const loads = tenants.map(({ tenant, events }) => {
    const loaded = ports.endpoints.listWithSockets(tenant);
    const bodies = loadEventsToPublish(ports, tenant, events, now);
    // Each record that awaits a promise gets its error. Without a handler it would end the process.
    for (const promise of [loaded, bodies]) promise.catch(() => {});
    // The push waits for the bodies, so that it reads a message as the endpoints get it. An event that another worker
    // publishes is not pushed here, because that worker pushes it.
    const pushed = bodies.then(
      (published) => events.filter((event) => !isPublishedByOther(event, published)),
      () => events.filter(({ waited }) => !waited),
    );
    return { tenant, events: pushed, loaded, bodies };
  });
  return {
    endpoints: new Map(loads.map(({ tenant, loaded }) => [tenant, loaded])),
    pushes: requestEventPushes(ports, loads, now),
    bodies: new Map(loads.map(({ tenant, bodies }) => [tenant, bodies])),
  };
}
