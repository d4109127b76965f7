import { QUEUE_DELAY_MAX, RETENTION } from "#base/kernel/limits.ts";
import { MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { encodeAccountTask } from "#features/accounts/queue.ts";
import { accountKey, callsNoPlatform } from "#features/accounts/rules/accounts.ts";
import { HISTORY_AGE_MIN } from "#features/inbox/rules/messages.ts";
import type { Restore } from "../store/restores.ts";
import { JOURNAL_MARGIN } from "./lost-acts.ts";
import type { FetchPorts, RestoreTime } from "./ports.ts";
import type { AccountRow } from "./read-table.ts";

/** What left before the sends stopped is at the platform by then, also where this clock is a minute behind. */
const IN_FLIGHT_MAX: Millis = 2 * MINUTE;
/** How long the histories of all accounts are read at most. */
const READING_MAX: Millis = 30 * MINUTE;
const POLL_INTERVAL: Millis = 5 * SECOND;
/** SQS counts approximately: a queue that was empty for this long has nothing left to store. */
const EMPTY_MIN: Millis = MINUTE;
/** How long what was read is waited for at most. */
const STORING_MAX: Millis = 30 * MINUTE;

export interface Fetched {
  /** How many accounts there are. Those that the journal or a person disconnected are gone. */
  readonly accounts: number;
  /** The accounts whose history was not read to its end, as `<tenant> <account>`. */
  readonly unread: readonly string[];
  /** Whether the worker of webhooks has stored what was read. */
  readonly isStored: boolean;
}

/**
 * Has the histories of the accounts read from the time of the restore until now, as after a loss of their webhooks, and
 * waits until what they have is stored. The histories name a message 12 minutes after it was sent. Safe to repeat.
 */
export async function fetchMissing(
  ports: FetchPorts,
  {
    restore,
    rows,
    time,
  }: { readonly restore: Restore; readonly rows: readonly AccountRow[]; readonly time: RestoreTime },
): Promise<Fetched> {
  const until = await ports.restores.setFetchUntil(restore.from, time.now() + IN_FLIGHT_MAX);
  let pending: AccountRow[] = [];
  const unread: AccountRow[] = [];
  let accounts = 0;
  for (const row of rows) {
    if (callsNoPlatform(row.account)) {
      accounts++;
      continue;
    }
    const state = await queueAccount(ports, row, {
      since: restore.journalSince - JOURNAL_MARGIN,
      until,
      now: time.now(),
    });
    if (state !== "gone") accounts++;
    if (state === "queued") pending.push(row);
    if (state === "unreadable") unread.push(row);
  }
  const endsAt = Math.max(until + HISTORY_AGE_MIN, time.now()) + READING_MAX;
  while (pending.length > 0 && time.now() < endsAt) {
    await time.wait(POLL_INTERVAL);
    const left: AccountRow[] = [];
    for (const row of pending) {
      const check = await ports.accountChecks.get(row.tenant, row.account);
      if (check?.backfill) left.push(row);
    }
    pending = left;
  }
  const isStored = accounts === 0 || (await isInboundStored(ports, time));
  const names = [...unread, ...pending].map(({ tenant, account }) => `${tenant} ${accountKey(account)}`);
  return { accounts, unread: names.sort(), isStored };
}

/** Waits until the queue of webhooks was empty for a minute. @returns false when it was not in time */
async function isInboundStored({ inbound }: Pick<FetchPorts, "inbound">, time: RestoreTime): Promise<boolean> {
  const endsAt = time.now() + STORING_MAX;
  let emptySince: Millis | null = null;
  while (time.now() < endsAt) {
    const isEmpty = (await inbound.count()) === 0;
    emptySince = isEmpty ? (emptySince ?? time.now()) : null;
    if (emptySince !== null && time.now() - emptySince >= EMPTY_MIN) return true;
    await time.wait(POLL_INTERVAL);
  }
  return false;
}

/** @returns `gone`: the account was disconnected in the meantime; `unreadable`: it needs a new login, and is read after that */
async function queueAccount(
  { accounts, accountChecks, accountWork }: FetchPorts,
  { tenant, account: ref }: AccountRow,
  { since, until, now }: { readonly since: Millis; readonly until: Millis; readonly now: Millis },
): Promise<"queued" | "unreadable" | "gone"> {
  const account = await accounts.get(tenant, ref);
  if (!account) return "gone";
  const check = await accountChecks.get(tenant, ref);
  const missing = { since: Math.max(since, check?.heldSince ?? 0), until };
  const noted = check && (await accountChecks.noteBackfill(check, missing, now - RETENTION));
  const task = {
    op: "backfill",
    tenant,
    account: ref,
    connectionId: account.connectionId,
    ...(noted ?? missing),
    after: null,
    done: 0,
  } as const;
  const delay = Math.min(Math.max(0, until + HISTORY_AGE_MIN - now), QUEUE_DELAY_MAX);
  await accountWork.send({ body: encodeAccountTask(task), group: tenant, delay });
  return noted && account.status !== "needs_reauth" ? "queued" : "unreadable";
}
