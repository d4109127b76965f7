import type { OverduePorts, SweepPorts } from "../../shared/flows/delivery/ports.ts";
import { sweepDue } from "../../shared/flows/delivery/sweep/due.ts";
import { rescheduleOverdue } from "../../shared/flows/delivery/sweep/overdue.ts";
import { expireHolds } from "../../shared/flows/holds/expire.ts";
import type { HoldExpiryPorts } from "../../shared/flows/holds/ports.ts";
import type { SettlePorts } from "../../shared/flows/sending/ports.ts";
import { settleDueSends } from "../../shared/flows/sending/settle-due.ts";
import type { Millis } from "../../shared/kernel/time.ts";
import { scheduleWorker } from "../worker/middleware.ts";

/** The input of the schedule that runs once a day. The one that runs each minute has AWS's own event. */
const dailyInput = { task: "reschedule_overdue" } as const;

/**
 * The sweeper: enqueues due attempts, tasks and erasures, settles sends whose sender died, and expires held messages. The
 * three run concurrently. Once a day it looks for deliveries that nothing will attempt. A sweep that runs out of time is
 * continued by the next one.
 */
export function sweepWorker(ports: SweepPorts & OverduePorts & SettlePorts & HoldExpiryPorts, clock: () => Millis) {
  return scheduleWorker("sweep", ports.log, async (event, { hasTime }) => {
    const now = clock();
    if ((event as { task?: unknown } | null)?.task === dailyInput.task) return rescheduleOverdue(ports, now, hasTime);
    const results = await Promise.allSettled([
      sweepDue(ports, now, hasTime),
      settleDueSends(ports, now, hasTime),
      expireHolds(ports, now, hasTime),
    ]);
    for (const result of results) if (result.status === "rejected") throw result.reason;
  });
}
