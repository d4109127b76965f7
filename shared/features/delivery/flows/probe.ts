import type { AttemptOutcome } from "#base/kernel/attempt-outcome.ts";
import { atStage } from "#base/kernel/attempt-stage.ts";
import type { Millis } from "#base/kernel/time.ts";
import { runWithTrace } from "#base/kernel/trace.ts";
import { done, drop, type RecordOutcome } from "#base/queues/record-outcome.ts";
import type { Endpoint } from "#features/webhooks/rules/endpoints.ts";
import type { DeliverPorts } from "../ports.ts";
import type { ProbeTask } from "../queue.ts";
import { attemptResult, closeBreaker, onProbe } from "../rules/breaker.ts";
import { judgeAttempt, type Verdict, waitingForEndpoint } from "../rules/deliveries.ts";
import { drainTask, scheduleTask } from "../schedule.ts";
import type { DeliveryRow } from "../store/items.ts";
import {
  type Batch,
  type ClaimedDelivery,
  callEndpoint,
  judge,
  openSigningSecrets,
  prepareClaimed,
  type StoredDelivery,
} from "./attempt.ts";
import { nextAttemptNumber } from "./drain.ts";
import { updateBreaker } from "./endpoint-health.ts";
import { finishAttempt } from "./finish-attempt.ts";

/** Waiting rows that one probe reads. It ends those that must not be attempted. */
const EXAMINED_MAX = 5;

/** What one probe found: a delivery to attempt, no waiting delivery, or that the next page must be read. */
type ProbeResult =
  | { readonly kind: "attempted"; readonly row: DeliveryRow; readonly outcome: AttemptOutcome }
  | { readonly kind: "nothing" }
  | { readonly kind: "next_page"; readonly after: string | null };

/**
 * Attempts one of the deliveries that wait for an endpoint. Deliveries take turns, oldest event first, so that one that
 * always fails does not decide for all. A failure spends no attempt of the delivery and doubles the time to the next
 * probe. A success closes the circuit and drains the other deliveries. Safe to repeat: a probe whose breaker has moved
 * on is dropped, and one that died changed nothing.
 */
export async function probeEndpoint(ports: DeliverPorts, task: ProbeTask, batch: Batch): Promise<RecordOutcome> {
  const { now } = batch;
  const { tenant, endpointId, probe } = task;
  const endpoint = await atStage("prepare", ports.endpoints.get(tenant, endpointId));
  if (!endpoint) return drop("stale");
  const { openUntil, closedBy } = endpoint.breaker;
  if (openUntil !== probe && (openUntil !== null || closedBy !== probe)) return drop("stale");
  // The circuit is closed, or the endpoint is deleted. The worker that did it may have died before it sent the drain.
  if (openUntil === null || endpoint.status === "deleted") {
    await scheduleTask(ports, drainTask(tenant, endpointId), now(), now());
    return done;
  }
  const closeCircuit = () =>
    updateBreaker(ports, { tenant, endpoint, now: now() }, (breaker) => closeBreaker(breaker, probe));
  if (endpoint.status === "paused") {
    await closeCircuit();
    return done;
  }
  // Sent by a request or a sweep. A hanging endpoint would hold the batch.
  if (!batch.slow) {
    await scheduleTask(ports, task, now(), now());
    return done;
  }
  const result = await attemptNext(ports, task, endpoint, batch);
  if (result.kind === "next_page") await scheduleTask(ports, { ...task, after: result.after }, now(), now());
  if (result.kind === "nothing") await closeCircuit();
  if (result.kind === "attempted") {
    const { outcome, row } = result;
    const rule = (breaker: Endpoint["breaker"]) =>
      isGoneOutcome(outcome) ? closeBreaker(breaker, probe) : onProbe(breaker, probe, outcome, now());
    await updateBreaker(ports, { tenant, endpoint, now: now(), after: row.eventUlid }, rule);
  }
  return done;
}

async function attemptNext(
  ports: DeliverPorts,
  { tenant, endpointId, after }: ProbeTask,
  endpoint: Endpoint,
  batch: Batch,
): Promise<ProbeResult> {
  const secrets = await openSigningSecrets(ports, { tenant, endpoint, now: batch.now() });
  const query = { endpointId, after, wanted: EXAMINED_MAX, now: batch.now() };
  const { rows, next } = await atStage("prepare", ports.deliveries.listWaiting(tenant, query));
  for (const row of rows) {
    const delivery = { tenant, endpoint, row, secrets };
    const outcome = await runWithTrace(row.traceId ?? null, () => attemptRow(ports, delivery, batch));
    if (outcome) return { kind: "attempted", row, outcome };
  }
  if (next !== null) return { kind: "next_page", after: next };
  // After the newest event the turn starts over at the oldest.
  return after === null ? { kind: "nothing" } : { kind: "next_page", after: null };
}

/** @returns null when the endpoint was not called: the row has moved on, or was ended without a call */
async function attemptRow(
  ports: DeliverPorts,
  waiting: StoredDelivery<Endpoint> & Pick<ClaimedDelivery, "secrets">,
  batch: Batch,
): Promise<AttemptOutcome | null> {
  const { now } = batch;
  const row = await claimWaiting(ports, waiting, batch);
  if (!row) return null;
  const claimedDelivery = { ...waiting, row };
  const prepared = await prepareClaimed(ports, claimedDelivery, batch);
  const answered = await callEndpoint(ports, prepared, batch);
  const settledAt = now();
  const judgement = judge(answered, (outcome) => judgeProbe(ports, row, outcome, settledAt));
  await finishAttempt(ports, { ...claimedDelivery, ...judgement, settledAt }, { ...batch, health: null });
  return judgement.outcome;
}

/** After a failure the delivery waits for its endpoint again. */
function judgeProbe(
  { random }: Pick<DeliverPorts, "random">,
  row: DeliveryRow,
  outcome: AttemptOutcome,
  now: Millis,
): Verdict {
  if (attemptResult(outcome) === "failed") return waitingForEndpoint;
  const { attempt, createdAt } = row;
  return judgeAttempt(outcome, { attempt, createdAt, now, jitter: random() });
}

/** Claims a waiting row. The claim of a worker that died is released first, and spends no attempt. */
async function claimWaiting(
  ports: DeliverPorts,
  waiting: StoredDelivery<Endpoint>,
  batch: Batch,
): Promise<DeliveryRow | null> {
  const { now } = batch;
  const { tenant, row } = waiting;
  const attempt = nextAttemptNumber(row);
  const tryClaim = () => atStage("prepare", ports.deliveries.claimDelivery(tenant, { ...row, attempt }, now()));
  const first = await tryClaim();
  if (first.outcome === "claimed") return first.row;
  if (first.outcome !== "abandoned") return null;
  const abandoned = { ...waiting, row: first.row, outcome: null, abandoned: true };
  const end = { ...abandoned, verdict: waitingForEndpoint, settledAt: now() };
  const recorded = await finishAttempt(ports, end, { ...batch, health: null });
  if (recorded.kind !== "recorded") return null;
  const second = await tryClaim();
  return second.outcome === "claimed" ? second.row : null;
}

function isGoneOutcome(outcome: AttemptOutcome): boolean {
  return outcome.kind === "answered" && attemptResult(outcome) === "neither";
}
