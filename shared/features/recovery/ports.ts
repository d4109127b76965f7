import type { JournalEntry } from "./rules.ts";

/** The journal of the acts that a restored table does not know. */
export interface Journal {
  /** Writes the entry. Safe to repeat. @throws an error of S3, after which the act must not be made */
  record(entry: JournalEntry): Promise<void>;
  /** Marks a written entry as one whose act was refused. Safe to repeat. @throws an error of S3 */
  withdraw(entry: JournalEntry): Promise<void>;
}

export interface JournalPorts {
  readonly journal: Journal;
}
