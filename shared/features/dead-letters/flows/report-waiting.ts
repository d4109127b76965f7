import type { WaitingQueuesPorts } from "../ports.ts";

/**
 * Logs each queue of background work that has messages which its worker could receive. A worker that keeps up receives them
 * within seconds, so that messages which all runs of half an hour find show that it does not.
 */
export async function reportWaitingQueues({ backgroundQueues, log }: WaitingQueuesPorts): Promise<void> {
  for (const { queue, messages } of await backgroundQueues.countVisible()) {
    if (messages > 0) log({ event: "queue.waiting", queue, messages });
  }
}
