import { RETENTION } from "#base/kernel/limits.ts";
import { MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { done, drop, type RecordOutcome, retry, waitForService } from "#base/queues/record-outcome.ts";
import { HISTORY_AGE_MIN } from "#features/inbox/rules/messages.ts";
import type { CallFailure, Thread } from "#platforms/graph/account-platform.ts";
import { accountToken } from "../../platform-calls.ts";
import type { TaskTime } from "../../ports.ts";
import { type AccountTask, encodeAccountTask } from "../../queue.ts";
import { accountKey } from "../../rules/accounts.ts";
import { notePartlyRead, queueMissingMessages } from "./missing-messages.ts";
import type { BackfillPorts } from "./ports.ts";

export type BackfillTask = Extract<AccountTask, { op: "backfill" }>;

/** The platforms allow two calls a second for the history of an account. */
const CALL_INTERVAL: Millis = SECOND / 2;
const THREADS_MAX = 500;
/** What one invocation reads, in about six seconds. */
const THREADS_PER_TASK = 10;
/** The clocks of the platform and of this process may differ by this much. */
const CLOCK_DIFFERENCE_MAX: Millis = MINUTE;
const RETRY_WAIT_MAX: Millis = 15 * MINUTE;

/**
 * Reads the threads of an account that moved while its webhooks were missing, newest first, and queues their messages
 * that are not stored. One invocation reads one page of threads and queues the next one. A thread that moves during the
 * run may change pages and be missed. So the moved threads are listed again, until one page contains all of them. A
 * later connection of the account continues it with its own token. Safe to repeat.
 */
export async function runBackfill(ports: BackfillPorts, task: BackfillTask, time: TaskTime): Promise<RecordOutcome> {
  const { tenant, account: ref } = task;
  const start = time.now();
  const early = task.until + HISTORY_AGE_MIN - start;
  if (early > 0) return retry("history_too_young", Math.min(early, RETRY_WAIT_MAX));
  const account = await ports.accounts.get(tenant, ref);
  if (!account) return drop("gone");
  const token = await accountToken(ports.vault, tenant, account);
  const platform = await ports.accountPlatformFor(account.connection);
  const call = paceCalls(ports, time);

  const limit = Math.min(THREADS_PER_TASK, THREADS_MAX - task.done);
  const page = await call(() => platform.listThreads(account, token, { after: task.after, limit }));
  if (page.kind !== "listed") return endRun(ports, task, page);
  const floor = Math.max(task.pass?.floor ?? task.since - SECOND, start - RETENTION);
  const threads = page.threads.filter(({ updatedAt }) => updatedAt >= floor);
  let messages = 0;
  for (const thread of threads) {
    const history = await call(() => platform.readThread(account, token, thread.id));
    if (history.kind === "read") {
      const { since, until } = task;
      const now = time.now();
      const read = { tenant, account, messages: history.messages, since, until, now };
      const isCut = history.isCut && (history.messages[0]?.at ?? now) > since - SECOND;
      // Before they are queued: then no send is answered from a part.
      if (isCut) await notePartlyRead(ports, { ...read, thread });
      messages += await queueMissingMessages(ports, read);
    } else if (isAboutThread(history)) {
      await notePartlyRead(ports, { tenant, account, thread, messages: [], now: time.now() });
    } else {
      return endRun(ports, task, history);
    }
  }
  ports.log({ event: "gap.read", tenant, account: accountKey(ref), threads: threads.length, messages });
  const next = nextTask(task, { start, floor, threads: page.threads, next: page.next });
  if (next) await ports.accountWork.send({ body: encodeAccountTask(next), group: tenant });
  else await ports.accountChecks.endBackfill(tenant, ref, task);
  return done;
}

interface PageOfThreads {
  /** When it was read. */
  readonly start: Millis;
  readonly floor: Millis;
  readonly threads: readonly Thread[];
  readonly next: string | null;
}

/** @returns null at the end */
function nextTask(task: BackfillTask, { start, floor, threads, next }: PageOfThreads): BackfillTask | null {
  const doneThreads = task.done + Math.max(1, threads.length);
  if (doneThreads >= THREADS_MAX) return null;
  const pass = task.after !== null && task.pass ? task.pass : { start, floor: task.pass?.floor ?? task.since - SECOND };
  const oldest = threads.at(-1);
  const isLastPage = next === null || (oldest !== undefined && oldest.updatedAt < floor);
  if (!isLastPage) return { ...task, after: next, done: doneThreads, pass };
  // One list has no thread that moved between its pages.
  if (task.after === null) return null;
  const nextFloor = pass.start - CLOCK_DIFFERENCE_MAX;
  return { ...task, after: null, done: doneThreads, pass: { start, floor: nextFloor } };
}

/** One call every half second, the first of them after the last of the run before. */
function paceCalls({ wait }: Pick<BackfillPorts, "wait">, { now }: TaskTime) {
  let earliest = now() + CALL_INTERVAL;
  return async <Result>(call: () => Promise<Result>): Promise<Result> => {
    const early = earliest - now();
    if (early > 0) await wait(early);
    earliest = now() + CALL_INTERVAL;
    return call();
  };
}

const accountClasses: ReadonlySet<string> = new Set(["token", "permission", "restricted", "rate"]);

/** Whether a refusal is about one thread, which is gone or unreadable. The other threads are read. */
function isAboutThread(failure: CallFailure): boolean {
  return failure.kind === "refused" && !accountClasses.has(failure.class) && !failure.transient;
}

/** A refusal that passes is tried again by the queue. Any other ends the task: the account's checks report it. */
function endRun(ports: Pick<BackfillPorts, "log">, task: BackfillTask, failure: CallFailure): RecordOutcome {
  const { tenant, account } = task;
  if (failure.kind === "unknown") return waitForService("history");
  if (failure.transient || failure.class === "rate") return waitForService("history", failure.coolDownMs);
  const { code, subcode } = failure;
  ports.log({ event: "gap.refused", tenant, account: accountKey(account), code, subcode });
  return done;
}
