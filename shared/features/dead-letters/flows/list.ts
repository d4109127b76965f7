import type { QueueName } from "#base/config/names.ts";
import { allDone } from "#base/kernel/parallel.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { RedrivePorts } from "../ports.ts";
import type { QuarantinedMessage } from "../store/quarantine.ts";

/**
 * Lists the newest dead letters of several queues, newest first.
 * @param query.redriven whether to include redriven letters
 * @returns `more` when there are further letters
 */
export async function listDeadLetters(
  ports: Pick<RedrivePorts, "quarantine">,
  query: { readonly queues: readonly QueueName[]; readonly redriven: boolean; readonly limit: number },
  now: Millis,
): Promise<{ letters: QuarantinedMessage[]; more: boolean }> {
  const lettersByQueue = await allDone(
    query.queues.map(async (queue) => {
      const letters: QuarantinedMessage[] = [];
      for await (const page of ports.quarantine.list(queue, "newest", now)) {
        letters.push(...page.filter(({ redriven }) => query.redriven || redriven === null));
        if (letters.length > query.limit) break;
      }
      return letters;
    }),
  );
  const letters = lettersByQueue.flat().sort((a, b) => (a.id < b.id ? 1 : -1));
  return { letters: letters.slice(0, query.limit), more: letters.length > query.limit };
}
