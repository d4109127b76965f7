import { isLeftAlone, isSlow } from "../../domain/delivery/breaker.ts";
import { type AttemptOutcome, type FirstStatus, judgeAttempt, parked } from "../../domain/delivery/deliveries.ts";
import type { RenderedEvent } from "../../domain/events/events.ts";
import { type Endpoint, endpointsWanting } from "../../domain/webhooks/endpoints.ts";
import { timeOfUlid } from "../../kernel/ids.ts";
import type { Millis } from "../../kernel/time.ts";
import type { EventMessage } from "../../queues/messages.ts";
import type { DeliveryRow } from "../../stores/delivery/delivery-items.ts";
import type { DeliverPorts } from "../ports.ts";
import { done, drop, type RecordEnd } from "../record-outcome.ts";
import { countDelivery, countMessage, newTally, type Tally } from "../stats/count.ts";
import { makeAttempt } from "./attempt.ts";
import { newWatch, noteAttempt, noteSlow, type Watch } from "./endpoint-health.ts";
import { logAttempt } from "./log-attempt.ts";
import { pauseWhenGone, pauseWhenGoneAgain } from "./pause-gone.ts";
import { retryMessage, scheduleRetry } from "./schedule.ts";

/** What a batch gathers, to be written once at its end: what is counted, and what attempts say of endpoints. */
export interface Gathered {
  readonly tally: Tally;
  readonly watch: Watch;
}

export function newGathered(): Gathered {
  return { tally: newTally(), watch: newWatch() };
}

/**
 * Announces one event: a first attempt to every endpoint that wants it, all at once, each row written on the outcome.
 * Repeated, an endpoint that has its row already is not called again; a retry that the row waits for is scheduled again.
 * @param rendered null when its body is gone: erased, or past its retention
 * @param gathered grows by what the first attempts came to
 */
export async function fanOut(
  ports: DeliverPorts,
  event: EventMessage,
  rendered: RenderedEvent | null,
  endpoints: readonly Endpoint[],
  gathered: Gathered,
  now: () => Millis,
): Promise<RecordEnd> {
  if (!rendered) return drop("gone");
  const wanting = endpointsWanting(event.type, endpoints).filter(({ id }) => id !== event.except);
  // Its first row is there once: whoever writes it counts the message. Where there is no row, it has a claim instead.
  if (event.uncounted && wanting.length === 0 && !event.repeated) {
    if (await ports.counters.claim(event.tenant, event.eventUlid, now())) countMessage(gathered.tally, event.tenant);
  }
  const settled = await Promise.allSettled(
    wanting.map((endpoint, index) => {
      const mine = { ...event, uncounted: event.uncounted === true && index === 0 };
      return announceTo(ports, mine, rendered, endpoint, gathered, now);
    }),
  );
  const failed = settled.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
  return done;
}

async function announceTo(
  ports: DeliverPorts,
  event: EventMessage,
  rendered: RenderedEvent,
  endpoint: Endpoint,
  { tally, watch }: Gathered,
  now: () => Millis,
): Promise<void> {
  if (event.repeated) {
    const known = await ports.deliveries.get(event.tenant, endpoint.id, event.eventUlid);
    if (known) return waitAgain(ports, event, known, now());
  }
  const { outcome, first } = await attemptOrHold(ports, event, rendered, endpoint, watch, now);
  if (outcome) noteAttempt(watch, event.tenant, endpoint, outcome);
  const settledAt = now();
  const delivery = {
    endpointId: endpoint.id,
    eventUlid: event.eventUlid,
    eventType: event.type,
    source: event.source,
    test: event.test === true,
  };
  const before = await ports.deliveries.recordFirst(event.tenant, delivery, first, outcome, settledAt);
  logAttempt(ports, endpoint.id, event.eventUlid, outcome ? 1 : 0, first, outcome);
  if (before) return waitAgain(ports, event, before, settledAt);
  countDelivery(tally, event.tenant, delivery, first.status);
  if (event.uncounted) countMessage(tally, event.tenant);
  if (first.status === "pending") {
    await ports.retries.send(retryMessage(event.tenant, delivery, 1, settledAt, settledAt));
  }
  if (first.status === "retrying" && first.nextRetryAt !== null) {
    await scheduleRetry(ports, event.tenant, delivery, 2, first.nextRetryAt, settledAt);
  }
  await pauseWhenGone(ports, event.tenant, delivery, endpoint.url, outcome, settledAt);
}

/**
 * A paused endpoint gets its row without a call, so that what came meanwhile can be replayed. So does one that is left
 * alone: the row waits for it. The first attempt of a slow one is put off to the deliveries queue, where nothing waits
 * for it.
 */
async function attemptOrHold(
  ports: DeliverPorts,
  event: EventMessage,
  rendered: RenderedEvent,
  endpoint: Endpoint,
  watch: Watch,
  now: () => Millis,
): Promise<{ outcome: AttemptOutcome | null; first: FirstStatus }> {
  if (endpoint.status === "paused") return { outcome: null, first: { status: "blocked" } };
  if (isLeftAlone(endpoint.breaker, now())) return { outcome: null, first: parked };
  if (isSlow(endpoint.breaker, now())) return { outcome: null, first: { status: "pending" } };
  const onSlow = () => noteSlow(ports, watch, event.tenant, endpoint, now());
  const outcome = await makeAttempt(ports, event.tenant, endpoint, rendered, now(), onSlow);
  return { outcome, first: judgeAttempt(1, outcome, timeOfUlid(event.eventUlid), now(), ports.dice()) };
}

async function waitAgain(ports: DeliverPorts, event: EventMessage, row: DeliveryRow, now: Millis): Promise<void> {
  await pauseWhenGoneAgain(ports, event.tenant, row);
  if (row.status === "pending") return ports.retries.send(retryMessage(event.tenant, row, row.attempt + 1, now, now));
  if (row.status !== "retrying" || row.nextRetryAt === null) return;
  await scheduleRetry(ports, event.tenant, row, row.attempt + 1, row.nextRetryAt, now);
}
