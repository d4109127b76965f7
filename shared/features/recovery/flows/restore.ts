import { forEachConcurrent } from "#base/kernel/parallel.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Restore } from "../store/restores.ts";
import { type AppliedJournal, applyJournal } from "./apply-journal.ts";
import { type Fetched, fetchMissing } from "./fetch.ts";
import { readLostActs } from "./lost-acts.ts";
import type { RestorePorts, RestoreTime } from "./ports.ts";
import { type AccountRow, type RestoredTable, readRestoredTable } from "./read-table.ts";

/** Writes in flight at once. */
const CONCURRENCY = 10;

/** The steps of a restore, in their order. */
export const restoreSteps = ["sends off", "sessions", "journal", "fetch", "late acts", "sends on"] as const;
export type RestoreStep = (typeof restoreSteps)[number];

/** The end of a step: what it did, and what is left to the operator, a sentence each. */
export interface StepReport {
  readonly step: RestoreStep;
  readonly done: string;
  readonly problems: readonly string[];
}

/**
 * - `prepared`: nothing can be sent from the table, and no access that ended since is left. The functions may use it
 * - `done`: by this run; `ended`: by an earlier one
 * - `other`: the table was restored to another time
 */
export type RestoreResult =
  | { readonly kind: "prepared" }
  | { readonly kind: "done" | "ended"; readonly restore: Restore }
  | { readonly kind: "other"; readonly restore: Restore };

export interface RestoreRequest {
  /** The time to which the table was restored. */
  readonly from: Millis;
  /** Whether the functions do not use the table yet. Then only those steps are made that need no worker. */
  readonly isPreparation: boolean;
  readonly time: RestoreTime;
  readonly report: (report: StepReport) => void;
}

/**
 * Brings a table that was restored to an earlier time to what it must not have forgotten: stops all sends and ends the
 * sessions, makes the acts of the journal, has the platforms asked what came and went since, makes the acts about what that
 * brought, and lets the accounts send. Every step is safe to repeat and to kill: the same call finishes.
 */
export async function restoreTable(ports: RestorePorts, request: RestoreRequest): Promise<RestoreResult> {
  const { from, isPreparation, time, report } = request;
  const start = await ports.restores.start(from, time.now());
  // Two runs at once: the one may have stopped the sends after the other had let the accounts send.
  if (start.kind === "ended") {
    const { accounts } = await readRestoredTable(ports, { last: new Map() });
    await resumeSends(ports, accounts, { from, until: start.restore.endedAt ?? time.now() });
  }
  if (start.kind !== "started") return start;
  const { restore } = start;
  const since = restore.journalSince;

  // One read of the table and of the journal is enough for the steps until the histories bring something new.
  const lost = await readLostActs(ports, since);
  const { accounts, matches, ...ended } = await readRestoredTable(ports, lost);
  await forEachConcurrent([...accounts], CONCURRENCY, ({ tenant, account }) =>
    ports.restoredRows.stopSends(tenant, account, from),
  );
  const holds = await endHolds(ports);
  report({ step: "sends off", done: `${accounts.length} accounts, ${holds} held messages ended`, problems: [] });

  report({ step: "sessions", done: await endSessions(ports, ended, { at: from, now: time.now() }), problems: [] });

  report(toReport("journal", await applyJournal(ports, { lost, matches, isPreparation, time })));
  if (isPreparation) return { kind: "prepared" };

  const fetched = await fetchMissing(ports, { restore, rows: accounts, time });
  const done = `${fetched.accounts - fetched.unread.length} of ${fetched.accounts} accounts`;
  report({ step: "fetch", done, problems: fetchProblems(fetched) });

  // Also what was done during these steps, and an account that was connected again.
  const lostSince = await readLostActs(ports, since);
  const read = await readRestoredTable(ports, lostSince);
  const late = await applyJournal(ports, { lost: lostSince, matches: read.matches, isPreparation, time });
  report(toReport("late acts", { ...late, problems: [...late.problems, ...partlyReadProblems(read)] }));

  const until = time.now();
  await resumeSends(ports, read.accounts, { from, until });
  const endedAt = await ports.restores.end(from, until);
  report({ step: "sends on", done: `${read.accounts.length} accounts`, problems: [] });
  return { kind: "done", restore: { ...restore, endedAt } };
}

function fetchProblems({ unread, isStored }: Fetched): string[] {
  const problems = unread.map(
    (account) =>
      `The history of ${account} was not read to its end. The account sends again when it is, at the latest in 24 hours.`,
  );
  if (!isStored) {
    problems.push("The queue Inbound is not empty after 30 minutes, so repeated sends may not be recognized.");
  }
  return problems;
}

function partlyReadProblems({ partlyRead }: Pick<RestoredTable, "partlyRead">): string[] {
  if (partlyRead === 0) return [];
  return [
    `The platform does not list all messages of ${partlyRead} conversations. For 24 hours, a send with an unknown key there gets outcome_unknown.`,
  ];
}

async function resumeSends(
  ports: Pick<RestorePorts, "restoredRows" | "accountChecks">,
  accounts: readonly AccountRow[],
  times: { readonly from: Millis; readonly until: Millis },
): Promise<void> {
  await forEachConcurrent([...accounts], CONCURRENCY, async ({ tenant, account }) => {
    const check = await ports.accountChecks.get(tenant, account);
    const isUnread = check !== null && check.backfill !== null;
    await ports.restoredRows.resumeSends(tenant, account, { ...times, isUnread });
  });
}

/** A hold that waits in the table may have been sent since. */
async function endHolds({ holds }: Pick<RestorePorts, "holds">): Promise<number> {
  let ended = 0;
  for await (const page of holds.listWaiting()) {
    await forEachConcurrent([...page], CONCURRENCY, async ({ id }) => {
      if (await holds.revoke(id)) ended++;
    });
  }
  return ended;
}

/** Also ends the invites that were pending: by one of them, a member who was removed since would come back. */
async function endSessions(
  { restoredRows, acts }: Pick<RestorePorts, "restoredRows" | "acts">,
  { userIds, loginIds, invites }: Pick<RestoredTable, "userIds" | "loginIds" | "invites">,
  times: { readonly at: Millis; readonly now: Millis },
): Promise<string> {
  await forEachConcurrent([...userIds], CONCURRENCY, (userId) => restoredRows.endSessions(userId));
  await forEachConcurrent([...loginIds], CONCURRENCY, (loginId) => restoredRows.removeLink(loginId));
  let ended = 0;
  await forEachConcurrent([...invites], CONCURRENCY, async ({ tenant, inviteId }) => {
    if ((await acts.endInvite(tenant, inviteId, times)) === "made") ended++;
  });
  return `those of ${userIds.length} people, ${loginIds.length} sign-in links, and ${ended} invites`;
}

function toReport(step: RestoreStep, { made, problems }: AppliedJournal): StepReport {
  const counts = [...made].map(([kind, count]) => `${count} ${kind}`);
  return { step, done: counts.length === 0 ? "nothing to make" : counts.join(", "), problems };
}
