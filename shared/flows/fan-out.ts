import { type AttemptOutcome, deliveryId, errorOf, judgeAttempt, type Verdict } from "../domain/deliveries.ts";
import { type Endpoint, endpointsWanting } from "../domain/endpoints.ts";
import type { RenderedEvent } from "../domain/events.ts";
import { timeOfUlid } from "../kernel/ids.ts";
import type { Millis } from "../kernel/time.ts";
import type { DeliveryRow } from "../table/delivery-items.ts";
import { countDelivery, countMessage, type Tally } from "./count.ts";
import { makeAttempt } from "./make-attempt.ts";
import { done, drop, type RecordEnd } from "./outcome.ts";
import type { DeliverPorts } from "./ports.ts";
import type { EventMessage } from "./queue-messages.ts";
import { scheduleRetry } from "./schedule-retry.ts";
import { pauseWhenGone, pauseWhenGoneAgain } from "./webhooks/pause-gone.ts";

/**
 * Announces one event: a first attempt to every endpoint that wants it, all at once, each row written on the outcome.
 * Repeated, an endpoint that has its row already is left alone; a retry that the row waits for is scheduled again.
 * @param rendered null when its body is gone: erased, or past its retention
 * @param tally grows by what the first attempts came to
 */
export async function fanOut(
  ports: DeliverPorts,
  event: EventMessage,
  rendered: RenderedEvent | null,
  endpoints: readonly Endpoint[],
  tally: Tally,
  now: () => Millis,
): Promise<RecordEnd> {
  if (!rendered) return drop("gone");
  const wanting = endpointsWanting(event.type, endpoints).filter(({ id }) => id !== event.except);
  // Its first row is there once: whoever writes it counts the message. Without rows the first to come is trusted.
  if (event.uncounted && wanting.length === 0 && !event.repeated) countMessage(tally, event.tenant);
  const settled = await Promise.allSettled(
    wanting.map((endpoint, index) => {
      const mine = { ...event, uncounted: event.uncounted === true && index === 0 };
      return announceTo(ports, mine, rendered, endpoint, tally, now);
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
  tally: Tally,
  now: () => Millis,
): Promise<void> {
  if (event.repeated) {
    const known = await ports.deliveries.get(event.tenant, endpoint.id, event.eventUlid);
    if (known) return waitAgain(ports, event, known, now());
  }
  const { outcome, verdict } = await attemptOrHold(ports, event, rendered, endpoint, now);
  const settledAt = now();
  const delivery = {
    endpointId: endpoint.id,
    eventUlid: event.eventUlid,
    eventType: event.type,
    source: event.source,
  };
  const before = await ports.deliveries.recordFirst(event.tenant, delivery, verdict, outcome, settledAt);
  logAttempt(ports, endpoint.id, event.eventUlid, 1, verdict, outcome);
  if (before) return waitAgain(ports, event, before, settledAt);
  countDelivery(tally, event.tenant, endpoint.id, verdict.status);
  if (event.uncounted) countMessage(tally, event.tenant);
  if (verdict.status === "retrying") {
    await scheduleRetry(ports, event.tenant, delivery, 2, verdict.nextRetryAt, settledAt);
  }
  await pauseWhenGone(ports, event.tenant, delivery, endpoint.url, outcome, settledAt);
}

/** A paused endpoint gets its row without a call, so that what came meanwhile can be replayed. */
async function attemptOrHold(
  ports: DeliverPorts,
  event: EventMessage,
  rendered: RenderedEvent,
  endpoint: Endpoint,
  now: () => Millis,
): Promise<{ outcome: AttemptOutcome | null; verdict: Verdict }> {
  if (endpoint.status === "paused") return { outcome: null, verdict: { status: "blocked" } };
  const outcome = await makeAttempt(ports, event.tenant, endpoint, rendered, now());
  return { outcome, verdict: judgeAttempt(1, outcome, timeOfUlid(event.eventUlid), now(), ports.dice()) };
}

async function waitAgain(ports: DeliverPorts, event: EventMessage, row: DeliveryRow, now: Millis): Promise<void> {
  await pauseWhenGoneAgain(ports, event.tenant, row);
  if (row.status !== "retrying" || row.nextRetryAt === null) return;
  await scheduleRetry(ports, event.tenant, row, row.attempt + 1, row.nextRetryAt, now);
}

export function logAttempt(
  ports: Pick<DeliverPorts, "log">,
  endpointId: string,
  eventUlid: string,
  attempt: number,
  verdict: Verdict,
  outcome: AttemptOutcome | null,
): void {
  ports.log({
    event: "attempt",
    endpoint: endpointId,
    delivery: deliveryId(eventUlid, endpointId),
    status: verdict.status,
    attempt,
    response_status: outcome?.kind === "answered" ? outcome.status : null,
    error: outcome ? errorOf(outcome) : null,
    duration_ms: outcome && outcome.kind !== "refused_by_gate" ? outcome.durationMs : null,
  });
}
