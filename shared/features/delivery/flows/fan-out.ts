import type { RenderedEvent } from "#base/events/events.ts";
import { atStage } from "#base/kernel/attempt-stage.ts";
import { ulidTime } from "#base/kernel/ids.ts";
import { allDone } from "#base/kernel/parallel.ts";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import { currentTrace } from "#base/kernel/trace.ts";
import { done, drop, type RecordOutcome } from "#base/queues/record-outcome.ts";
import { countMessage } from "#features/stats/count.ts";
import type { CountedMessage } from "#features/stats/rules.ts";
import { type Endpoint, subscribedEndpoints } from "#features/webhooks/rules/endpoints.ts";
import type { EventMessage } from "../event-queue.ts";
import type { DeliverPorts } from "../ports.ts";
import { isCircuitOpen, isSlow } from "../rules/breaker.ts";
import { type InitialStatus, judgeAttempt, waitingForEndpoint } from "../rules/deliveries.ts";
import type { DeliveryRow } from "../store/items.ts";
import {
  type AnsweredAttempt,
  type Batch,
  callEndpoint,
  isUnanswered,
  type Judgement,
  judge,
  openSigningSecrets,
  type PreparedAttempt,
  rereadEndpoint,
  withoutCall,
} from "./attempt.ts";
import { onUnanswered } from "./endpoint-health.ts";
import { finishAttempt, resumeFinishedAttempt } from "./finish-attempt.ts";

/** An event to publish, with what its batch has read for it. */
interface Publication {
  readonly event: EventMessage;
  /** Null when the body is erased or past its retention. */
  readonly rendered: RenderedEvent | null;
  /** The tenant's endpoints. */
  readonly endpoints: readonly Endpoint[];
}

/** An event to publish to one endpoint. */
interface EndpointPublication {
  readonly event: EventMessage;
  readonly rendered: RenderedEvent;
  readonly endpoint: Endpoint;
  /** What the row of the delivery does for the count of the event's message. */
  readonly counting: RowCounting;
}

/**
 * `claimed`: the row counts the message, and this run does where another run writes the row. `elsewhere`: another row counts
 * the message, or a claim. `none`: the event came without a message to count.
 */
type RowCounting = "here" | "claimed" | "elsewhere" | "none";

/**
 * Publishes one event: makes the first attempt to every subscribed endpoint at once, and writes each row with its
 * outcome. A repeated event does not call an endpoint whose row exists; it schedules the retry that the row waits for, or
 * ends the delivery when the event has no body any more.
 * @param batch receives the results of the first attempts
 */
export async function fanOut(ports: DeliverPorts, publication: Publication, batch: Batch): Promise<RecordOutcome> {
  const { event, rendered } = publication;
  const targets = await currentTargets(ports, publication, batch);
  if (event.repeated) await resumeOthers(ports, publication, { targets: rendered ? targets : [], batch });
  if (!rendered) return drop("gone");
  const ofFirstRow = await countingOfFirstRow(ports, publication, { targets, batch });
  // The first row is written once, and its writer counts the message. An event without a row has a claim instead.
  if (ofFirstRow === "claimed" && targets.length === 0)
    countMessage(batch.tally, event.tenant, toCountedMessage(event));
  const results = await Promise.allSettled(
    targets.map((endpoint, index) => {
      const counting = index > 0 && event.uncounted ? "elsewhere" : ofFirstRow;
      return publishToEndpoint(ports, { event, rendered, endpoint, counting }, batch);
    }),
  );
  const rejection = results.find((result) => result.status === "rejected");
  if (rejection) throw rejection.reason;
  return done;
}

function toCountedMessage({ type, answeredAfter }: EventMessage): CountedMessage {
  return { isReceived: type === "message.received", answeredAfter: answeredAfter ?? null };
}

/**
 * Whether this run counts the event's message, with its first row or, where it has no target, with a claim. A repeated
 * event may have other targets than the first one had, which counted the message with a row of another endpoint, or with
 * a claim. A row that says that the message is counted elsewhere does not prove it: the first run may still be about to
 * write the row that counts.
 */
async function countingOfFirstRow(
  ports: DeliverPorts,
  { event, endpoints }: Publication,
  { targets, batch }: { targets: readonly Endpoint[]; batch: Batch },
): Promise<RowCounting> {
  const { tenant, eventUlid, uncounted = false, repeated } = event;
  if (!uncounted) return "none";
  const mayHaveOtherRows = repeated && endpoints.some((endpoint) => mayHaveChangedSince(endpoint, eventUlid));
  if (targets.length > 0 && !mayHaveOtherRows) return "here";
  let isWritten = false;
  if (mayHaveOtherRows) {
    const reads = endpoints.map(({ id }) => ports.deliveries.get(tenant, id, eventUlid));
    const rows = await atStage("prepare", allDone(reads));
    if (rows.some((row) => row && !row.isCountedElsewhere)) return "elsewhere";
    isWritten = rows.some((row) => row !== null && row.endpointId === targets[0]?.id);
  }
  const isOurs = await atStage("prepare", ports.counters.claimCount(tenant, eventUlid, batch.now()));
  if (!isOurs) return "elsewhere";
  return isWritten ? "here" : "claimed";
}

/**
 * Counts the message of a run that has the claim where the first row was written since by a run that has not. That run
 * counted nothing.
 */
function countClaimed({ event, counting }: EndpointPublication, row: DeliveryRow | null, { tally }: Batch): void {
  if (counting === "claimed" && row?.isCountedElsewhere) countMessage(tally, event.tenant, toCountedMessage(event));
}

/** The endpoints that get the event. One whose circuit seems open is read again: a wait for a closed one has no end. */
async function currentTargets(
  ports: DeliverPorts,
  { event, endpoints }: Publication,
  batch: Batch,
): Promise<readonly Endpoint[]> {
  const { tenant, type, excludedEndpointId } = event;
  const recipients = subscribedEndpoints(type, endpoints).filter(({ id }) => id !== excludedEndpointId);
  const current = await allDone(
    recipients.map(async (endpoint) => {
      if (endpoint.status === "paused" || !isCircuitOpen(endpoint.breaker, batch.now())) return endpoint;
      return (await rereadEndpoint(ports, batch, { tenant, endpointId: endpoint.id })) ?? endpoint;
    }),
  );
  return subscribedEndpoints(type, current);
}

/** The clock of the process that changed an endpoint may be behind that of the process that created the event. */
const CLOCK_SKEW_MAX: Millis = MINUTE;

/** Whether an endpoint was created, changed or deleted since an event was created. */
function mayHaveChangedSince({ updatedAt }: Endpoint, eventUlid: string): boolean {
  return updatedAt >= ulidTime(eventUlid) - CLOCK_SKEW_MAX;
}

/**
 * Completes the deliveries of a repeated event whose endpoint is not among its targets: their worker may have died before
 * it scheduled the retry, and the endpoint changed since, or the event has no body any more.
 */
async function resumeOthers(
  ports: DeliverPorts,
  { event, rendered, endpoints }: Publication,
  { targets, batch }: { targets: readonly Endpoint[]; batch: Batch },
): Promise<void> {
  const { tenant, eventUlid, type, excludedEndpointId } = event;
  const receivedIt = new Set(subscribedEndpoints(type, endpoints));
  const handled = new Set([excludedEndpointId, ...targets.map(({ id }) => id)]);
  const others = endpoints.filter(
    (endpoint) => !handled.has(endpoint.id) && (receivedIt.has(endpoint) || mayHaveChangedSince(endpoint, eventUlid)),
  );
  await allDone(
    others.map(async (endpoint) => {
      const row = await atStage("prepare", ports.deliveries.get(tenant, endpoint.id, eventUlid));
      if (!row) return;
      if (rendered || (row.status !== "pending" && row.status !== "retrying")) {
        await resumeFinishedAttempt(ports, tenant, row, batch.now());
      } else {
        const end = { tenant, endpoint, row, outcome: null, settledAt: batch.now() };
        await finishAttempt(ports, { ...end, verdict: { status: "failed" } }, batch);
      }
    }),
  );
}

async function publishToEndpoint(ports: DeliverPorts, publication: EndpointPublication, batch: Batch): Promise<void> {
  const { event, endpoint, counting } = publication;
  const { tenant, eventUlid, source } = event;
  if (event.repeated) {
    const existing = await atStage("prepare", ports.deliveries.get(tenant, endpoint.id, eventUlid));
    countClaimed(publication, existing, batch);
    if (existing) return void (await resumeFinishedAttempt(ports, tenant, existing, batch.now()));
  }
  const prepared = await prepareFirst(ports, publication, batch);
  const answered = await callEndpoint(ports, prepared, batch);
  const judgement = judgeFirst(ports, publication, answered, batch);
  const settledAt = batch.now();
  const test = event.test === true;
  const isCountedElsewhere = counting === "elsewhere";
  const { type: eventType } = event;
  const delivery = {
    endpointId: endpoint.id,
    eventUlid,
    eventType,
    source,
    test,
    isCountedElsewhere,
    ...currentTrace(),
  };
  const uncounted = counting === "here" || counting === "claimed" ? toCountedMessage(event) : null;
  const recorded = await finishAttempt(
    ports,
    { tenant, endpoint, delivery, ...judgement, settledAt, uncounted, receivedAt: event.receivedAt },
    batch,
  );
  if (recorded.kind !== "superseded") return;
  countClaimed(publication, recorded.row, batch);
  await resumeFinishedAttempt(ports, tenant, recorded.row, settledAt);
}

/**
 * A paused endpoint gets a blocked row without a call, which can be replayed. While the circuit is open the row waits
 * for the endpoint. A slow endpoint's first attempt moves to the slow deliveries queue, where no other endpoint waits for
 * it.
 */
async function prepareFirst(
  ports: DeliverPorts,
  { event: { tenant }, rendered: event, endpoint }: EndpointPublication,
  { now }: Batch,
): Promise<PreparedAttempt<InitialStatus>> {
  if (endpoint.status === "paused") return withoutCall({ status: "blocked" });
  if (isCircuitOpen(endpoint.breaker, now())) return withoutCall(waitingForEndpoint);
  if (isSlow(endpoint.breaker, now())) return withoutCall({ status: "pending" });
  const secrets = await openSigningSecrets(ports, { tenant, endpoint, now: now() });
  return { kind: "ready", endpoint, event, secrets };
}

/** An attempt without an answer is aborted and moves to the slow deliveries queue, too. */
function judgeFirst(
  ports: DeliverPorts,
  { event, endpoint }: EndpointPublication,
  answered: AnsweredAttempt<InitialStatus>,
  batch: Batch,
): Judgement<InitialStatus> {
  if (isUnanswered(answered, batch)) {
    onUnanswered(ports, { ...event, endpoint, endpointId: endpoint.id, attempt: 1 }, batch);
    return { outcome: null, verdict: { status: "pending" } };
  }
  const createdAt = ulidTime(event.eventUlid);
  return judge(answered, (outcome) =>
    judgeAttempt(outcome, { attempt: 1, createdAt, now: batch.now(), jitter: ports.random() }),
  );
}
