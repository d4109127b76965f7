import { isCircuitOpen, isSlow } from "../../domain/delivery/breaker.ts";
import {
  type AttemptOutcome,
  type InitialStatus,
  judgeAttempt,
  waitingForEndpoint,
} from "../../domain/delivery/deliveries.ts";
import type { RenderedEvent } from "../../domain/events/events.ts";
import { type Endpoint, subscribedEndpoints } from "../../domain/webhooks/endpoints.ts";
import { ulidTime } from "../../kernel/ids.ts";
import type { Millis } from "../../kernel/time.ts";
import type { EventMessage } from "../../queues/events.ts";
import type { DeliveryRow } from "../../stores/delivery/delivery-items.ts";
import { done, drop, type RecordOutcome } from "../record-outcome.ts";
import { countDelivery, countMessage, newTally, type Tally } from "../stats/count.ts";
import { makeAttempt } from "./attempt.ts";
import { type EndpointHealth, newEndpointHealth, recordAttempt, recordSlow } from "./endpoint-health.ts";
import { logAttempt } from "./log-attempt.ts";
import { pauseWhenGone, resumePauseWhenGone } from "./pause-gone.ts";
import type { DeliverPorts } from "./ports.ts";
import { retryMessage, scheduleRetry } from "./schedule.ts";

/** What a batch gathers, to be written once at its end: what is counted, and what attempts say of endpoints. */
export interface BatchContext {
  readonly tally: Tally;
  readonly health: EndpointHealth;
}

export function newBatchContext(): BatchContext {
  return { tally: newTally(), health: newEndpointHealth() };
}

/**
 * Announces one event: a first attempt to every endpoint that wants it, all at once, each row written on the outcome.
 * Repeated, an endpoint that has its row already is not called again; a retry that the row waits for is scheduled again.
 * @param rendered null when its body is gone: erased, or past its retention
 * @param batch grows by what the first attempts came to
 */
export async function fanOut(
  ports: DeliverPorts,
  event: EventMessage,
  rendered: RenderedEvent | null,
  endpoints: readonly Endpoint[],
  batch: BatchContext,
  now: () => Millis,
): Promise<RecordOutcome> {
  if (!rendered) return drop("gone");
  const targets = subscribedEndpoints(event.type, endpoints).filter(({ id }) => id !== event.excludedEndpointId);
  // Its first row is there once: whoever writes it counts the message. Where there is no row, it has a claim instead.
  if (event.uncounted && targets.length === 0 && !event.repeated) {
    if (await ports.counters.claim(event.tenant, event.eventUlid, now())) countMessage(batch.tally, event.tenant);
  }
  const results = await Promise.allSettled(
    targets.map((endpoint, index) => {
      const endpointEvent = { ...event, uncounted: event.uncounted === true && index === 0 };
      return publishToEndpoint(ports, endpointEvent, rendered, endpoint, batch, now);
    }),
  );
  const rejection = results.find((result) => result.status === "rejected");
  if (rejection) throw rejection.reason;
  return done;
}

async function publishToEndpoint(
  ports: DeliverPorts,
  event: EventMessage,
  rendered: RenderedEvent,
  endpoint: Endpoint,
  { tally, health }: BatchContext,
  now: () => Millis,
): Promise<void> {
  if (event.repeated) {
    const existing = await ports.deliveries.get(event.tenant, endpoint.id, event.eventUlid);
    if (existing) return rescheduleAfterDuplicate(ports, event, existing, now());
  }
  const { outcome, first } = await attemptIfAllowed(ports, event, rendered, endpoint, health, now);
  if (outcome) recordAttempt(health, event.tenant, endpoint, outcome);
  const settledAt = now();
  const delivery = {
    endpointId: endpoint.id,
    eventUlid: event.eventUlid,
    eventType: event.type,
    source: event.source,
    test: event.test === true,
  };
  const existing = await ports.deliveries.recordFirst(event.tenant, delivery, first, outcome, settledAt);
  logAttempt(ports, endpoint.id, event.eventUlid, outcome ? 1 : 0, first, outcome);
  if (existing) return rescheduleAfterDuplicate(ports, event, existing, settledAt);
  countDelivery(tally, event.tenant, delivery, first.status);
  if (event.uncounted) countMessage(tally, event.tenant);
  if (first.status === "pending") {
    await ports.retries.send(retryMessage({ ...delivery, tenant: event.tenant, attempt: 1 }));
  }
  if (first.status === "retrying" && first.nextRetryAt !== null) {
    const retry = { ...delivery, tenant: event.tenant, attempt: 2 };
    await scheduleRetry(ports, retry, first.nextRetryAt, settledAt);
  }
  await pauseWhenGone(ports, event.tenant, delivery, endpoint.url, outcome, settledAt);
}

/**
 * A paused endpoint gets its row without a call, so that what came meanwhile can be replayed. So does one that is left
 * alone: the row waits for it. The first attempt of a slow one is put off to the deliveries queue, where nothing waits
 * for it.
 */
async function attemptIfAllowed(
  ports: DeliverPorts,
  event: EventMessage,
  rendered: RenderedEvent,
  endpoint: Endpoint,
  health: EndpointHealth,
  now: () => Millis,
): Promise<{ outcome: AttemptOutcome | null; first: InitialStatus }> {
  if (endpoint.status === "paused") return { outcome: null, first: { status: "blocked" } };
  if (isCircuitOpen(endpoint.breaker, now())) return { outcome: null, first: waitingForEndpoint };
  if (isSlow(endpoint.breaker, now())) return { outcome: null, first: { status: "pending" } };
  const onSlow = () => recordSlow(ports, health, event.tenant, endpoint, now());
  const outcome = await makeAttempt(ports, event.tenant, endpoint, rendered, now(), onSlow);
  return { outcome, first: judgeAttempt(1, outcome, ulidTime(event.eventUlid), now(), ports.random()) };
}

async function rescheduleAfterDuplicate(
  ports: DeliverPorts,
  event: EventMessage,
  row: DeliveryRow,
  now: Millis,
): Promise<void> {
  await resumePauseWhenGone(ports, event.tenant, row);
  const next = { ...row, tenant: event.tenant, attempt: row.attempt + 1 };
  if (row.status === "pending") return ports.retries.send(retryMessage(next));
  if (row.status !== "retrying" || row.nextRetryAt === null) return;
  await scheduleRetry(ports, next, row.nextRetryAt, now);
}
