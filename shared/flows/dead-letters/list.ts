import type { QueueName } from "../../config/names.ts";
import type { Millis } from "../../kernel/time.ts";
import type { KeptLetter } from "../../stores/dead-letters/quarantine.ts";
import type { RedrivePorts } from "../ports.ts";

/**
 * The newest letters of some queues together, newest first.
 * @param wanted.redriven also those that were redriven already
 * @returns `more` when there are others
 */
export async function listDeadLetters(
  ports: Pick<RedrivePorts, "quarantine">,
  wanted: { readonly queues: readonly QueueName[]; readonly redriven: boolean; readonly limit: number },
  now: Millis,
): Promise<{ letters: KeptLetter[]; more: boolean }> {
  const found = await Promise.all(
    wanted.queues.map(async (queue) => {
      const letters: KeptLetter[] = [];
      for await (const page of ports.quarantine.ofQueue(queue, "newest", now)) {
        letters.push(...page.filter(({ redriven }) => wanted.redriven || redriven === null));
        if (letters.length > wanted.limit) break;
      }
      return letters;
    }),
  );
  const letters = found.flat().sort((a, b) => (a.id < b.id ? 1 : -1));
  return { letters: letters.slice(0, wanted.limit), more: letters.length > wanted.limit };
}
