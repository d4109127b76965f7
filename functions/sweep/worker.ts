import { resumeDataDeletions } from "../../shared/flows/accounts/duties/resume-deletions.ts";
import { enqueueDueChecks } from "../../shared/flows/accounts/keep-alive/enqueue-due-checks.ts";
import { purgeDeadWebhooks } from "../../shared/flows/dead-letters/purge-webhooks.ts";
import { sweepDue } from "../../shared/flows/delivery/sweep/due.ts";
import { rescheduleOverdue } from "../../shared/flows/delivery/sweep/overdue.ts";
import { expireHolds } from "../../shared/flows/holds/expire.ts";
import { purgeRawWebhooks } from "../../shared/flows/inbox/purge-raw-webhooks.ts";
import { settleDueSends } from "../../shared/flows/sending/settle-due.ts";
import { purgeUploads } from "../../shared/flows/uploads/purge.ts";
import type { Millis } from "../../shared/kernel/time.ts";
import { scheduleWorker } from "../worker/middleware.ts";
import type { AllSweepPorts } from "./ports.ts";

type Task = (ports: AllSweepPorts, now: Millis, hasTime: () => boolean) => Promise<unknown>;

/** What runs on the event of the schedule of each minute, which is AWS's own. */
const eachMinute: readonly Task[] = [sweepDue, settleDueSends, expireHolds, resumeDataDeletions];

/** What runs on the input of another schedule, by its `task`. */
const otherSchedules: ReadonlyMap<unknown, readonly Task[]> = new Map<unknown, readonly Task[]>([
  ["purge", [purgeRawWebhooks, purgeDeadWebhooks, purgeUploads]],
  ["check_accounts", [enqueueDueChecks]],
  ["reschedule_overdue", [rescheduleOverdue]],
]);

/**
 * The sweeper: enqueues due attempts, tasks and erasures, settles sends whose sender died, expires held messages, and
 * continues data deletions. Once an hour it deletes raw webhooks and uploaded files at the end of their retention, and
 * enqueues the due checks of accounts, and once a day it looks for deliveries that nothing will attempt. The tasks of a
 * run are concurrent. A run that is out of time is continued by the next one.
 */
export function sweepWorker(ports: AllSweepPorts, clock: () => Millis) {
  return scheduleWorker("sweep", ports.log, async (event, { hasTime }) => {
    const now = clock();
    const tasks = otherSchedules.get((event as { task?: unknown } | null)?.task) ?? eachMinute;
    const results = await Promise.allSettled(tasks.map((task) => task(ports, now, hasTime)));
    for (const result of results) if (result.status === "rejected") throw result.reason;
  });
}
