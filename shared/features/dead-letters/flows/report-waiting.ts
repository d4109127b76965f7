import type { WaitingLettersPorts } from "../ports.ts";

/**
 * Logs each dead-letter queue that has messages. `DeadLetters` empties the queues within seconds, so that messages which several
 * runs find show that it does not work.
 */
export async function reportWaitingLetters({ deadLetterQueues, log }: WaitingLettersPorts): Promise<void> {
  for (const { queue, messages } of await deadLetterQueues.count()) {
    if (messages > 0) log({ event: "dead_letters.waiting", queue, messages });
  }
}
