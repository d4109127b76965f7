import type { Millis } from "#base/kernel/time.ts";
import { enqueueDueChecks } from "#features/accounts/flows/health-checks/enqueue-due-checks.ts";
import { reportUnusableKey } from "#features/accounts/flows/health-checks/report-unusable-key.ts";
import { resumeDataDeletions } from "#features/accounts/flows/platform-callbacks/resume-deletions.ts";
import { emptyDeadLetterQueues } from "#features/dead-letters/flows/empty-queues.ts";
import { purgeDeadWebhooks } from "#features/dead-letters/flows/purge-webhooks.ts";
import { reportWaitingQueues } from "#features/dead-letters/flows/report-waiting.ts";
import { sweepDue } from "#features/delivery/flows/sweep/due.ts";
import { rescheduleOverdue } from "#features/delivery/flows/sweep/overdue.ts";
import { expireHolds } from "#features/holds/flows/expire.ts";
import { purgeRawWebhooks } from "#features/inbox/flows/purge-raw-webhooks.ts";
import { settleDueSends } from "#features/sending/flows/settle-due.ts";
import { purgeUploads } from "#features/uploads/flows/purge.ts";
import { scheduleWorker } from "../worker/middleware.ts";
import type { AllSweepPorts } from "./ports.ts";

type Task = (ports: AllSweepPorts, now: Millis, hasTime: () => boolean) => Promise<unknown>;

/** What runs on the event of the schedule of each minute, which is AWS's own. */
const eachMinute: readonly Task[] = [sweepDue, settleDueSends, expireHolds, resumeDataDeletions];

/** What runs on the input of another schedule, by its `task`. */
const otherSchedules: ReadonlyMap<unknown, readonly Task[]> = new Map<unknown, readonly Task[]>([
  ["watch", [emptyDeadLetterQueues, reportWaitingQueues, reportUnusableKey]],
  ["purge", [purgeRawWebhooks, purgeDeadWebhooks, purgeUploads]],
  ["check_accounts", [enqueueDueChecks]],
  ["reschedule_overdue", [rescheduleOverdue]],
]);

/**
 * The sweeper: enqueues due attempts, tasks and erasures, settles sends whose sender died, expires held messages, and
 * continues data deletions. Every five minutes it stores what is in the dead letter queues, and looks at the queues of
 * background work and the key. Once an hour it deletes raw webhooks and uploaded files at the end of their retention,
 * and enqueues the due checks of accounts, and once a day it looks for deliveries that nothing will attempt. The tasks
 * of a run are concurrent. A run that is out of time is continued by the next one.
 */
export function sweepWorker(ports: AllSweepPorts, clock: () => Millis) {
  return scheduleWorker("sweep", ports.log, async (event, { hasTime }) => {
    const now = clock();
    const tasks = otherSchedules.get((event as { task?: unknown } | null)?.task) ?? eachMinute;
    const results = await Promise.allSettled(tasks.map((task) => task(ports, now, hasTime)));
    for (const result of results) if (result.status === "rejected") throw result.reason;
  });
}
