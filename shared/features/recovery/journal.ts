import type { Files } from "#base/aws/files.ts";
import { newUlid } from "#base/kernel/ids.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Journal, JournalPorts } from "./ports.ts";
import { encodeJournalEntry, type JournalAct, type JournalEntry, journalKey } from "./rules.ts";

/** The journal in a bucket: one object for each entry. */
export function openJournal(files: Pick<Files, "put">): Journal {
  return {
    record: (entry) => files.put(journalKey(entry), encodeJournalEntry(entry, "recorded")),
    withdraw: (entry) => files.put(journalKey(entry), encodeJournalEntry(entry, "withdrawn")),
  };
}

/** A new entry of an act. */
export function newJournalEntry(act: JournalAct, at: Millis): JournalEntry {
  return { id: newUlid(at), at, act };
}

/**
 * Makes a change whose act is in the journal first. If the entry cannot be written, nothing changes. If the process dies after
 * the entry, the act counts as made, also when it was not: its caller has no answer, and a restore that repeats it removes
 * no more than they asked for.
 * @param change commits the act
 * @param isRefused whether the result says that nothing was changed: the entry is then withdrawn
 */
export async function journaled<Result>(
  { journal }: JournalPorts,
  { act, at }: Omit<JournalEntry, "id">,
  change: () => Promise<Result>,
  isRefused: (result: Result) => boolean,
): Promise<Result> {
  const entry = newJournalEntry(act, at);
  await journal.record(entry);
  const result = await change();
  if (isRefused(result)) await journal.withdraw(entry);
  return result;
}
