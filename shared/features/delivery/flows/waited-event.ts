import { allDone } from "#base/kernel/parallel.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import { done, type RecordOutcome, retry } from "#base/queues/record-outcome.ts";
import { type Endpoint, subscribedEndpoints } from "#features/webhooks/rules/endpoints.ts";
import type { EventMessage } from "../event-queue.ts";
import type { DeliverPorts } from "../ports.ts";
import { resumeFinishedAttempt } from "./finish-attempt.ts";

/** The first attempts of an event that was published take less: an attempt without an answer ends after 1.5 s. */
const PUBLISHED_WITHIN: Millis = 5 * SECOND;

/**
 * Ends the delayed message of an event that another message has published, or is about to. Where an endpoint has no row yet,
 * its attempt may be in progress: the message comes again, and publishes what is missing then. Where one has a row, the run
 * that wrote it may have died before it scheduled the retry. It may even be a run of this message, because a queue's count
 * of its receives is approximate.
 */
export async function endWaitedEvent(
  ports: DeliverPorts,
  { tenant, eventUlid, type }: EventMessage,
  endpoints: readonly Endpoint[],
  now: Millis,
): Promise<RecordOutcome> {
  const targets = subscribedEndpoints(type, endpoints);
  const rows = await allDone(targets.map(({ id }) => ports.deliveries.get(tenant, id, eventUlid)));
  await allDone(rows.map((row) => row && resumeFinishedAttempt(ports, tenant, row, now)));
  return rows.every((row) => row !== null) ? done : retry("published", PUBLISHED_WITHIN);
}
