import { afterProbe, letGo, resultOf } from "../../domain/delivery/breaker.ts";
import { type AttemptOutcome, judgeAttempt, parked } from "../../domain/delivery/deliveries.ts";
import type { Endpoint } from "../../domain/webhooks/endpoints.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { DeliveryRow } from "../../stores/delivery/delivery-items.ts";
import type { DeliverPorts } from "../ports.ts";
import { done, drop, type RecordEnd } from "../record-outcome.ts";
import { countDelivery, type Tally } from "../stats/count.ts";
import { makeAttempt } from "./attempt.ts";
import { nextAttemptOf } from "./drain.ts";
import { drainOf, type ProbeStep, sendStep } from "./endpoint-tasks.ts";
import { logAttempt } from "./log-attempt.ts";
import { pauseWhenGone } from "./pause-gone.ts";
import { renderedEventOf } from "./rendered-events.ts";
import { abandoned, verdictWithoutCall } from "./retry.ts";
import { moveBreaker } from "./update-breaker.ts";

/** Waiting rows that one step looks at: those that cannot be attempted any more are ended on the way. */
const LOOKED_AT = 5;

/** What one step found: an attempt, nothing that waits, or that it must look on behind an event. */
type Found =
  | { readonly kind: "attempted"; readonly row: DeliveryRow; readonly outcome: AttemptOutcome }
  | { readonly kind: "nothing" }
  | { readonly kind: "on"; readonly after: string | null };

/**
 * Tries one of the deliveries that wait for an endpoint, the next in turn by the age of their events, so that one which
 * fails always does not stand for all. Failed, it waits on, its attempt not spent, and the next probe is twice as far.
 * Delivered, it closes the breaker, and the others are handed out. Safe to repeat: a step whose breaker has moved on is
 * dropped, and one that died leaves it as it was.
 */
export async function probeEndpoint(
  ports: DeliverPorts,
  step: ProbeStep,
  tally: Tally,
  now: () => Millis,
): Promise<RecordEnd> {
  const { tenant, endpointId, probe } = step;
  const endpoint = await ports.endpoints.get(tenant, endpointId);
  if (!endpoint) return drop("stale");
  const { openUntil, closedBy } = endpoint.breaker;
  if (openUntil !== probe && (openUntil !== null || closedBy !== probe)) return drop("stale");
  // It closed already, or nobody is called any more. Who closed it may have died before the rest was handed out.
  if (openUntil === null || endpoint.status === "deleted") {
    await sendStep(ports, drainOf(tenant, endpointId), now(), now());
    return done;
  }
  const close = () => moveBreaker(ports, tenant, endpoint, (breaker) => letGo(breaker, probe), now());
  if (endpoint.status === "paused") {
    await close();
    return done;
  }
  const found = await tryNext(ports, step, endpoint, tally, now);
  if (found.kind === "on") await sendStep(ports, { ...step, after: found.after }, now(), now());
  if (found.kind === "nothing") await close();
  if (found.kind === "attempted") {
    const { outcome, row } = found;
    const rule = (breaker: Endpoint["breaker"]) =>
      saidGone(outcome) ? letGo(breaker, probe) : afterProbe(breaker, probe, outcome, now());
    await moveBreaker(ports, tenant, endpoint, rule, now(), row.eventUlid);
  }
  return done;
}

async function tryNext(
  ports: DeliverPorts,
  { tenant, endpointId, after }: ProbeStep,
  endpoint: Endpoint,
  tally: Tally,
  now: () => Millis,
): Promise<Found> {
  const query = { endpointId, after, wanted: LOOKED_AT, now: now() };
  const { rows, next } = await ports.deliveries.waiting(tenant, query);
  for (const row of rows) {
    const outcome = await tryOne(ports, tenant, endpoint, row, tally, now);
    if (outcome) return { kind: "attempted", row, outcome };
  }
  if (next !== null) return { kind: "on", after: next };
  // Behind the last of them the turn begins anew.
  return after === null ? { kind: "nothing" } : { kind: "on", after: null };
}

/** @returns null where the receiver was not called: the row has moved on, or was ended without it */
async function tryOne(
  ports: DeliverPorts,
  tenant: TenantId,
  endpoint: Endpoint,
  row: DeliveryRow,
  tally: Tally,
  now: () => Millis,
): Promise<AttemptOutcome | null> {
  const claimed = await claim(ports, tenant, row, now);
  if (!claimed) return null;
  const body = await renderedEventOf(ports, tenant, claimed);
  const instead = verdictWithoutCall(endpoint, body, claimed, now());
  const outcome = body && !instead ? await makeAttempt(ports, tenant, endpoint, body, now()) : null;
  const settledAt = now();
  const verdict =
    instead ??
    (outcome && resultOf(outcome) !== "failed"
      ? judgeAttempt(claimed.attempt, outcome, claimed.createdAt, settledAt, ports.dice())
      : parked);
  const ours = await ports.deliveries.settle(tenant, claimed, verdict, outcome, settledAt);
  logAttempt(ports, row.endpointId, row.eventUlid, claimed.attempt, verdict, outcome);
  if (ours) countDelivery(tally, tenant, row, verdict.status);
  if (ours && outcome) await pauseWhenGone(ports, tenant, claimed, endpoint.url, outcome, settledAt);
  return outcome;
}

/** A row whose worker died is let go first; its attempt is not spent. */
async function claim(
  ports: DeliverPorts,
  tenant: TenantId,
  row: DeliveryRow,
  now: () => Millis,
): Promise<DeliveryRow | null> {
  const take = () => ports.deliveries.claim(tenant, row.endpointId, row.eventUlid, nextAttemptOf(row), now());
  const first = await take();
  if (first.outcome === "claimed") return first.row;
  if (first.outcome !== "abandoned") return null;
  if (!(await ports.deliveries.settle(tenant, first.row, parked, abandoned, now()))) return null;
  const second = await take();
  return second.outcome === "claimed" ? second.row : null;
}

function saidGone(outcome: AttemptOutcome): boolean {
  return outcome.kind === "answered" && resultOf(outcome) === "neither";
}
