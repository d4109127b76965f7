import type { WaitingQueuesPorts } from "../ports.ts";

/**
 * Logs background queues with visible messages. A worker with enough capacity receives a message within seconds. If
 * every run of half an hour finds some, the worker is too slow.
 */
export async function reportWaitingQueues({ backgroundQueues, log }: WaitingQueuesPorts): Promise<void> {
  for (const { queue, messages } of await backgroundQueues.countVisible()) {
    if (messages > 0) log({ event: "queue.waiting", queue, messages });
  }
}
