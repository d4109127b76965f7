import { forEachConcurrent } from "#base/kernel/parallel.ts";
import type { Millis } from "#base/kernel/time.ts";
import { decodeJournalEntry, JOURNAL_PREFIX, journalKeyTime, type RecordedAct } from "../journal.ts";
import type { ReadJournalPorts } from "./ports.ts";

/** Objects read at once. */
const CONCURRENCY = 10;

export interface ReadJournal {
  /** In the order of their time. */
  readonly acts: readonly RecordedAct[];
  /** The keys of entries that this release cannot read. */
  readonly unreadable: readonly string[];
}

/** The acts of the journal from an instant on, without those that were refused. */
export async function readJournal({ journalFiles }: ReadJournalPorts, since: Millis): Promise<ReadJournal> {
  const keys: string[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<ReadJournalPorts["journalFiles"]["list"]>> = await journalFiles.list(
      JOURNAL_PREFIX,
      after,
    );
    // A key that is no entry's is read too, and reported.
    keys.push(...page.keys.filter((key) => (journalKeyTime(key) ?? since) >= since));
    after = page.next;
  } while (after !== null);
  const acts: RecordedAct[] = [];
  const unreadable: string[] = [];
  await forEachConcurrent(keys, CONCURRENCY, async (key) => {
    const object = await journalFiles.get(key);
    // It has just expired.
    if (object === null) return;
    const act = decodeJournalEntry(object);
    if (act === null) unreadable.push(key);
    else if (act !== "withdrawn") acts.push(act);
  });
  return { acts: acts.sort((a, b) => a.at - b.at), unreadable: unreadable.sort() };
}
