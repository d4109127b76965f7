import type { JournalPorts } from "#features/recovery/journal.ts";

/** The port of the journal where a test does not look at it: nothing is written. */
export const noJournal: JournalPorts = { journal: { record: async () => {}, withdraw: async () => {} } };
