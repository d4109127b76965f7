import { errorClass } from "#base/kernel/error-class.ts";
import { allDone } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { DeliveryStatus } from "#features/delivery/rules/deliveries.ts";
import type { CountingPorts } from "./ports.ts";
import {
  type AnswerTime,
  answerTime,
  answerTimes,
  type CountedMessage,
  countedMessages,
  type EndState,
  NO_ANSWERS,
  toEndState,
} from "./rules.ts";

interface TenantTally {
  received: number;
  sent: number;
  readonly answers: Record<AnswerTime, number>;
  readonly endpoints: Map<string, Record<EndState, number>>;
}

/** What a batch counted per tenant. It is added to the counters once, at the end of the batch. */
export type Tally = Map<TenantId, TenantTally>;

export function newTally(): Tally {
  return new Map();
}

/** Counts a stored live message. */
export function countMessage(tally: Tally, tenant: TenantId, { isReceived, answeredAfter }: CountedMessage): void {
  const counts = tenantTally(tally, tenant);
  if (isReceived) counts.received++;
  else counts.sent++;
  if (answeredAfter !== null) counts.answers[answerTime(answeredAfter)]++;
}

/** Counts a delivery that reached a final status. Deliveries of a test key's sends are not counted. */
export function countDelivery(
  tally: Tally,
  tenant: TenantId,
  { endpointId, test }: { readonly endpointId: string; readonly test?: boolean },
  status: DeliveryStatus,
): void {
  const state = test ? null : toEndState(status);
  if (state) endpointCounts(tenantTally(tally, tenant), endpointId)[state]++;
}

/** Adds the tally of another part of the batch. */
export function mergeTally(tally: Tally, other: Tally): void {
  for (const [tenant, { received, sent, answers, endpoints }] of other) {
    const target = tenantTally(tally, tenant);
    target.received += received;
    target.sent += sent;
    for (const time of answerTimes) target.answers[time] += answers[time];
    for (const [endpointId, counts] of endpoints) {
      const totals = endpointCounts(target, endpointId);
      totals.delivered += counts.delivered;
      totals.failed += counts.failed;
      totals.dlq += counts.dlq;
    }
  }
}

/**
 * Saves a batch's tally with one update per tenant. Never throws: a batch is not retried for its statistics.
 * @param onMessagesCounted receives how many messages a tenant has stored in the current hour
 */
export async function saveTally(
  ports: CountingPorts,
  tally: Tally,
  now: Millis,
  onMessagesCounted: (tenant: TenantId, messagesInHour: number) => Promise<void> = async () => {},
): Promise<void> {
  const stored = [...tally.values()].reduce((sum, counts) => sum + countedMessages(counts), 0);
  if (stored > 0) ports.log({ event: "metrics.counted", metrics: { Stored: stored } });
  await allDone(
    [...tally].map(async ([tenant, counts]) => {
      try {
        const messagesInHour = await ports.counters.add(tenant, counts, now);
        if (messagesInHour !== null) await onMessagesCounted(tenant, messagesInHour);
      } catch (error) {
        ports.log({ event: "counters.save_failed", error: errorClass(error), messages: countedMessages(counts) });
      }
    }),
  );
}

function tenantTally(tally: Tally, tenant: TenantId): TenantTally {
  const entry = tally.get(tenant) ?? {
    received: 0,
    sent: 0,
    answers: { ...NO_ANSWERS },
    endpoints: new Map(),
  };
  tally.set(tenant, entry);
  return entry;
}

function endpointCounts({ endpoints }: TenantTally, endpointId: string): Record<EndState, number> {
  const counts = endpoints.get(endpointId) ?? { delivered: 0, failed: 0, dlq: 0 };
  endpoints.set(endpointId, counts);
  return counts;
}
