import { OVERDUE_AFTER, OVERDUE_AFTER_SLOW } from "#base/kernel/limits.ts";
import { allDone } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { traceField } from "#base/kernel/trace.ts";
import type { OverduePorts } from "../../ports.ts";
import { isCircuitOpen, isSlow } from "../../rules/breaker.ts";
import { isWaiting } from "../../rules/deliveries.ts";
import { retryMessage } from "../../schedule.ts";
import type { DeliveryRow } from "../../store/items.ts";
import type { WaitingDelivery } from "../../store/waiting-deliveries.ts";
import { nextAttemptNumber } from "../drain.ts";

/**
 * Finds deliveries that wait for an attempt which is long overdue although their endpoint's circuit is not open: no
 * queue message and no due item will make it. Schedules them and logs how many there were. A defect or a lost write is the only
 * cause, so normally there are none. Safe to repeat: the attempt number drops a second message.
 * @param hasTime whether another page may start. A run that ends early is continued by the next one
 */
export async function rescheduleOverdue(
  ports: OverduePorts,
  now: Millis,
  hasTime: () => boolean = () => true,
): Promise<void> {
  const resumedFrom = await ports.waitingDeliveries.cursor();
  const lateness = new Map<string, Promise<Millis | null>>();
  const counts = { examined: 0, waiting: 0, rescheduled: 0 };
  let cursor = resumedFrom;
  let complete = false;
  while (!complete && hasTime()) {
    const { deliveries, examined, next } = await ports.waitingDeliveries.page(cursor);
    const overdue = await findOverdue(ports, deliveries, { lateness, now });
    await ports.retries.sendAll(
      overdue.map(({ tenant, row }) => {
        const { endpointId, eventUlid, traceId } = row;
        return retryMessage({ tenant, endpointId, eventUlid, attempt: nextAttemptNumber(row), ...traceField(traceId) });
      }),
    );
    counts.examined += examined;
    counts.waiting += deliveries.length;
    counts.rescheduled += overdue.length;
    cursor = next;
    complete = next === null;
  }
  if (cursor !== null || resumedFrom !== null) await ports.waitingDeliveries.saveCursor(cursor);
  ports.log({ event: "deliveries.checked", ...counts, complete });
  if (counts.rescheduled > 0) ports.log({ event: "deliveries.rescheduled", deliveries: counts.rescheduled });
}

async function findOverdue(
  ports: OverduePorts,
  deliveries: readonly WaitingDelivery[],
  { lateness, now }: { lateness: Map<string, Promise<Millis | null>>; now: Millis },
): Promise<{ tenant: TenantId; row: DeliveryRow }[]> {
  const candidates = await allDone(
    deliveries.map(async (delivery) => {
      const late = lateness.get(delivery.endpointId) ?? allowedLateness(ports, delivery, now);
      lateness.set(delivery.endpointId, late);
      return { delivery, late: await late };
    }),
  );
  const rows = await ports.waitingDeliveries.rows(
    candidates.filter(({ late }) => late !== null).map(({ delivery }) => delivery),
  );
  const lateByEndpoint = new Map(candidates.map(({ delivery, late }) => [delivery.endpointId, late]));
  return rows.filter(({ row }) => {
    const late = lateByEndpoint.get(row.endpointId);
    return typeof late === "number" && isOverdue(row, now - late);
  });
}

/** How late an attempt of an endpoint may be; null while its deliveries wait for it. */
async function allowedLateness(
  { endpoints }: Pick<OverduePorts, "endpoints">,
  { tenant, endpointId }: WaitingDelivery,
  now: Millis,
): Promise<Millis | null> {
  const endpoint = await endpoints.get(tenant, endpointId);
  if (!endpoint || endpoint.status === "deleted") return OVERDUE_AFTER;
  if (isCircuitOpen(endpoint.breaker, now)) return null;
  // The attempts of a slow endpoint take turns, and may take long.
  return isSlow(endpoint.breaker, now) ? OVERDUE_AFTER_SLOW : OVERDUE_AFTER;
}

/** Whether the row waited at `at` for an attempt that was due then, and has not changed since. */
function isOverdue(row: DeliveryRow, at: Millis): boolean {
  return row.updatedAt <= at && isWaiting(row, at);
}
