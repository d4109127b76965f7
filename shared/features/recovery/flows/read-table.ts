import type { RecordedAct } from "../journal.ts";
import type { RestoredRow } from "../store/restored-rows.ts";
import { findActsAbout, type LostActs } from "./lost-acts.ts";
import type { ApplyJournalPorts } from "./ports.ts";

export type AccountRow = Extract<RestoredRow, { kind: "account" }>;
export type InviteRow = Extract<RestoredRow, { kind: "invite" }>;

/** An act of the journal with the row that it is about. */
export interface MatchedAct {
  readonly act: RecordedAct;
  readonly row: RestoredRow;
}

/** What the steps of a restore need of the table. */
export interface RestoredTable {
  readonly accounts: readonly AccountRow[];
  readonly userIds: readonly string[];
  /** Sign-in links. */
  readonly loginIds: readonly string[];
  readonly invites: readonly InviteRow[];
  readonly matches: readonly MatchedAct[];
  /** How many conversations are noted as read in part, also of an earlier restore whose keys may be repeated. */
  readonly partlyRead: number;
}

/** Reads the whole table once, for several steps. */
export async function readRestoredTable(
  { restoredRows }: Pick<ApplyJournalPorts, "restoredRows">,
  lost: Pick<LostActs, "last">,
): Promise<RestoredTable> {
  const accounts: AccountRow[] = [];
  const invites: InviteRow[] = [];
  const [userIds, loginIds] = [new Set<string>(), new Set<string>()];
  // Several rows of a login are about one act.
  const matches = new Map<string, MatchedAct>();
  let partlyRead = 0;
  for await (const page of restoredRows.scan()) {
    for (const row of page) {
      if (row.kind === "account") accounts.push(row);
      if (row.kind === "invite") invites.push(row);
      if (row.kind === "user") userIds.add(row.userId);
      if (row.kind === "link") loginIds.add(row.loginId);
      if (row.kind === "partly_read") partlyRead++;
      for (const act of findActsAbout(row, lost)) matches.set(act.subject, { act, row });
    }
  }
  return {
    accounts,
    userIds: [...userIds],
    loginIds: [...loginIds],
    invites,
    matches: [...matches.values()],
    partlyRead,
  };
}
