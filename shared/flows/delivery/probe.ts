import { attemptResult, closeBreaker, onProbe } from "../../domain/delivery/breaker.ts";
import { type AttemptOutcome, judgeAttempt, waitingForEndpoint } from "../../domain/delivery/deliveries.ts";
import type { Endpoint } from "../../domain/webhooks/endpoints.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { ProbeTask } from "../../queues/deliveries.ts";
import type { DeliveryRow } from "../../stores/delivery/delivery-items.ts";
import { done, drop, type RecordOutcome } from "../record-outcome.ts";
import { countDelivery, type Tally } from "../stats/count.ts";
import { makeAttempt } from "./attempt.ts";
import { nextAttemptNumber } from "./drain.ts";
import { logAttempt } from "./log-attempt.ts";
import { pauseWhenGone } from "./pause-gone.ts";
import type { DeliverPorts } from "./ports.ts";
import { loadRenderedEvent } from "./rendered-events.ts";
import { abandonedOutcome, verdictWithoutCall } from "./retry.ts";
import { drainTask, scheduleTask } from "./schedule.ts";
import { updateBreaker } from "./update-breaker.ts";

/** Waiting rows that one step looks at: those that cannot be attempted any more are ended on the way. */
const EXAMINED_MAX = 5;

/** What one step found: an attempt, nothing that waits, or that it must look on behind an event. */
type ProbeResult =
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
  task: ProbeTask,
  tally: Tally,
  now: () => Millis,
): Promise<RecordOutcome> {
  const { tenant, endpointId, probe } = task;
  const endpoint = await ports.endpoints.get(tenant, endpointId);
  if (!endpoint) return drop("stale");
  const { openUntil, closedBy } = endpoint.breaker;
  if (openUntil !== probe && (openUntil !== null || closedBy !== probe)) return drop("stale");
  // It closed already, or nobody is called any more. Who closed it may have died before the rest was handed out.
  if (openUntil === null || endpoint.status === "deleted") {
    await scheduleTask(ports, drainTask(tenant, endpointId), now(), now());
    return done;
  }
  const closeCircuit = () => updateBreaker(ports, tenant, endpoint, (breaker) => closeBreaker(breaker, probe), now());
  if (endpoint.status === "paused") {
    await closeCircuit();
    return done;
  }
  const result = await attemptNext(ports, task, endpoint, tally, now);
  if (result.kind === "on") await scheduleTask(ports, { ...task, after: result.after }, now(), now());
  if (result.kind === "nothing") await closeCircuit();
  if (result.kind === "attempted") {
    const { outcome, row } = result;
    const rule = (breaker: Endpoint["breaker"]) =>
      isGoneOutcome(outcome) ? closeBreaker(breaker, probe) : onProbe(breaker, probe, outcome, now());
    await updateBreaker(ports, tenant, endpoint, rule, now(), row.eventUlid);
  }
  return done;
}

async function attemptNext(
  ports: DeliverPorts,
  { tenant, endpointId, after }: ProbeTask,
  endpoint: Endpoint,
  tally: Tally,
  now: () => Millis,
): Promise<ProbeResult> {
  const query = { endpointId, after, wanted: EXAMINED_MAX, now: now() };
  const { rows, next } = await ports.deliveries.listWaiting(tenant, query);
  for (const row of rows) {
    const outcome = await attemptRow(ports, tenant, endpoint, row, tally, now);
    if (outcome) return { kind: "attempted", row, outcome };
  }
  if (next !== null) return { kind: "on", after: next };
  // Behind the last of them the turn begins anew.
  return after === null ? { kind: "nothing" } : { kind: "on", after: null };
}

/** @returns null where the receiver was not called: the row has moved on, or was ended without it */
async function attemptRow(
  ports: DeliverPorts,
  tenant: TenantId,
  endpoint: Endpoint,
  row: DeliveryRow,
  tally: Tally,
  now: () => Millis,
): Promise<AttemptOutcome | null> {
  const claimedRow = await claimDelivery(ports, tenant, row, now);
  if (!claimedRow) return null;
  const body = await loadRenderedEvent(ports, tenant, claimedRow);
  const finalVerdict = verdictWithoutCall(endpoint, body, claimedRow, now());
  const outcome = body && !finalVerdict ? await makeAttempt(ports, tenant, endpoint, body, now()) : null;
  const settledAt = now();
  const verdict =
    finalVerdict ??
    (outcome && attemptResult(outcome) !== "failed"
      ? judgeAttempt(claimedRow.attempt, outcome, claimedRow.createdAt, settledAt, ports.random())
      : waitingForEndpoint);
  const applied = await ports.deliveries.settle(tenant, claimedRow, verdict, outcome, settledAt);
  logAttempt(ports, row.endpointId, row.eventUlid, claimedRow.attempt, verdict, outcome);
  if (applied) countDelivery(tally, tenant, row, verdict.status);
  if (applied && outcome) await pauseWhenGone(ports, tenant, claimedRow, endpoint.url, outcome, settledAt);
  return outcome;
}

/** A row whose worker died is let go first; its attempt is not spent. */
async function claimDelivery(
  ports: DeliverPorts,
  tenant: TenantId,
  row: DeliveryRow,
  now: () => Millis,
): Promise<DeliveryRow | null> {
  const tryClaim = () => ports.deliveries.claim(tenant, row.endpointId, row.eventUlid, nextAttemptNumber(row), now());
  const first = await tryClaim();
  if (first.outcome === "claimed") return first.row;
  if (first.outcome !== "abandoned") return null;
  if (!(await ports.deliveries.settle(tenant, first.row, waitingForEndpoint, abandonedOutcome, now()))) return null;
  const second = await tryClaim();
  return second.outcome === "claimed" ? second.row : null;
}

function isGoneOutcome(outcome: AttemptOutcome): boolean {
  return outcome.kind === "answered" && attemptResult(outcome) === "neither";
}
