import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import type { RenderedEvent } from "../../shared/domain/events/events.ts";
import type { Endpoint } from "../../shared/domain/webhooks/endpoints.ts";
import { drain } from "../../shared/flows/delivery/drain.ts";
import { keepWatch } from "../../shared/flows/delivery/endpoint-health.ts";
import { readStep } from "../../shared/flows/delivery/endpoint-tasks.ts";
import { judgeFailing } from "../../shared/flows/delivery/evaluate-failing-endpoint.ts";
import { fanOut, type Gathered, newGathered } from "../../shared/flows/delivery/fan-out.ts";
import { probeEndpoint } from "../../shared/flows/delivery/probe.ts";
import { renderedEvents } from "../../shared/flows/delivery/rendered-events.ts";
import { retryDelivery } from "../../shared/flows/delivery/retry.ts";
import type { DeliverPorts } from "../../shared/flows/ports.ts";
import { drop, type RecordEnd } from "../../shared/flows/record-outcome.ts";
import { keepTally } from "../../shared/flows/stats/count.ts";
import type { TenantId } from "../../shared/kernel/tenant.ts";
import type { Millis } from "../../shared/kernel/time.ts";
import { type EventMessage, readEvent, readRetry } from "../../shared/queues/messages.ts";
import { endBatch, type Invocation, type Postpone, receivesOf } from "../worker/batch.ts";

/**
 * The deliver worker, behind two queues: an event goes to every endpoint that wants it, a retry to one. Everything in a
 * batch is under way at once, each POST with its own deadline; nothing waits for another's receiver.
 */
export function deliverWorker(ports: DeliverPorts, now: () => Millis, postpone: Postpone) {
  return async (event: SQSEvent, invocation: Invocation): Promise<SQSBatchResponse> => {
    const gathered = newGathered();
    const ends = await endBatch("deliver", event, invocation, ports.log, postpone, (records) => {
      const read = records.map((record) => ({ record, announced: readEvent(record.body) }));
      const events = read.flatMap(({ announced }) => announced ?? []);
      const batch = readBatch(ports, events);
      return new Map(
        read.map(({ record, announced }): [string, Promise<RecordEnd>] => [
          record.messageId,
          announced
            ? announce(ports, record, announced, batch, gathered, now)
            : workOnOne(ports, record, gathered, now),
        ]),
      );
    });
    await Promise.all([keepTally(ports, gathered.tally, now()), keepWatch(ports, gathered.watch, now())]);
    return ends;
  };
}

/** A later attempt of one delivery, or a step of what an endpoint's deliveries as a whole need. */
async function workOnOne(
  ports: DeliverPorts,
  record: SQSRecord,
  gathered: Gathered,
  now: () => Millis,
): Promise<RecordEnd> {
  const message = readRetry(record.body);
  if (message) return retryDelivery(ports, message, gathered, now);
  const step = readStep(record.body);
  switch (step?.step) {
    case "probe":
      return probeEndpoint(ports, step, gathered.tally, now);
    case "drain":
      return drain(ports, step, now());
    case "failing":
      return judgeFailing(ports, step, receivesOf(record) > 1, now());
    default:
      return drop("unreadable");
  }
}

async function announce(
  ports: DeliverPorts,
  record: SQSRecord,
  event: EventMessage,
  batch: Batch,
  gathered: Gathered,
  now: () => Millis,
): Promise<RecordEnd> {
  const [endpoints, rendered] = await Promise.all([
    batch.endpoints.get(event.tenant),
    batch.rendered.get(event.tenant),
  ]);
  const body = rendered?.get(event.eventUlid) ?? null;
  const repeated = event.repeated || receivesOf(record) > 1;
  return fanOut(ports, { ...event, repeated }, body, endpoints ?? [], gathered, now);
}

/** Read once for each tenant of the batch: its endpoints, and its events' bodies. */
interface Batch {
  readonly endpoints: ReadonlyMap<TenantId, Promise<Endpoint[]>>;
  readonly rendered: ReadonlyMap<TenantId, Promise<Map<string, RenderedEvent>>>;
}

function readBatch(ports: DeliverPorts, events: readonly EventMessage[]): Batch {
  const tenants = [...new Set(events.map((event) => event.tenant))];
  const reads = <T>(read: (tenant: TenantId) => Promise<T>) =>
    new Map(
      tenants.map((tenant): [TenantId, Promise<T>] => {
        const reading = read(tenant);
        // Each record that awaits it sees the failure; unawaited, it must not end the process.
        reading.catch(() => {});
        return [tenant, reading];
      }),
    );
  return {
    endpoints: reads((tenant) => ports.endpoints.list(tenant)),
    rendered: reads((tenant) =>
      renderedEvents(
        ports,
        tenant,
        events.filter((event) => event.tenant === tenant),
      ),
    ),
  };
}
