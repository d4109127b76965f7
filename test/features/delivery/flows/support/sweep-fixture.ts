import { newUlid } from "#base/kernel/ids.ts";
import { DAY, type Millis } from "#base/kernel/time.ts";
import { cursorAfter } from "#base/table/due-queue.ts";
import { sweepDue } from "#features/delivery/flows/sweep/due.ts";
import { type DueAttempt, dueStore } from "#features/delivery/store/due-attempts.ts";
import { dueKey } from "#features/delivery/store/items.ts";
import { invokeWorker } from "../../../../support/flows/queue-worker.ts";
import type { TestEnv } from "../../../../support/flows/test-env.ts";
import { decodeRetry } from "../../../../support/pipeline/deliveries-messages.ts";
import { newTenant } from "../../../../support/stores/samples.ts";

/** An attempt that waits, with its sort key. */
export type DueRow = DueAttempt & { readonly key: string };

/**
 * Sweeps with new queues, days after those before and right after the checkpoint, so that no row of them is read.
 * @param sinceCheckpoint how long before now the checkpoint is
 */
export async function openSweepFixture(testEnv: TestEnv, sinceCheckpoint: Millis = 0) {
  testEnv.advance(30 * DAY);
  const queues = await testEnv.newQueues();
  const due = dueStore(testEnv.table);
  await due.saveCheckpoint(cursorAfter(testEnv.now() - sinceCheckpoint));

  async function putDue(dueAt: Millis): Promise<DueRow> {
    const attempt = { tenant: newTenant(), endpointId: newUlid(dueAt), eventUlid: newUlid(dueAt), attempt: 4, dueAt };
    await due.put(attempt);
    return { ...attempt, key: dueKey(dueAt, attempt.endpointId, attempt.eventUlid, 4).SK };
  }

  return {
    queues,
    due,
    sweep: (hasTime?: () => boolean) => sweepDue(testEnv.sweepPorts(queues), testEnv.now(), hasTime),
    putDue,
    putAll: (instants: readonly Millis[]) => Promise.all(instants.map(putDue)),
    /** Receives the events whose retry is on the queue, and removes them from it. */
    async receiveRetries(): Promise<string[]> {
      const events: string[] = [];
      for (let more = true; more; ) {
        const keepNone = async () => ({ batchItemFailures: [] });
        const { records } = await invokeWorker(testEnv.eventSource, queues.deliveries, keepNone);
        events.push(...records.map(({ body }) => decodeRetry(body)?.eventUlid ?? "unreadable"));
        more = records.length > 0;
      }
      return events;
    },
  };
}

/** The events of waiting attempts, sorted. */
export const ulidsOf = (rows: readonly DueRow[]) => rows.map(({ eventUlid }) => eventUlid).sort();
