import { ACCOUNT_RELEASE_WAIT, DATA_DELETION_OVERDUE } from "#base/kernel/limits.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import { MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { done, drop, type RecordOutcome } from "#base/queues/record-outcome.ts";
import { deriveErasureId, type RemovalCounts } from "#features/erasure/rules/erasures.ts";
import type { TaskTime } from "../../ports.ts";
import { type AccountTask, encodeAccountTask } from "../../queue.ts";
import { type Account, accountKey, allLogins } from "../../rules/accounts.ts";
import type { PendingAccount } from "../../store/data-deletions.ts";
import { connectedAt, queueDisconnectTask } from "./authorized-accounts.ts";
import { confirmationCodes } from "./confirmation-codes.ts";
import type { EraseAccountPorts } from "./ports.ts";

type EraseTask = Extract<AccountTask, { op: "erase_conversations" }>;
/** Where a pass continues. */
type Position = Pick<EraseTask, "after" | "erased" | "began" | "floor">;

const PAGE_SIZE = 25;
/** Left at the end of an invocation for the step that runs. */
const STEP_TIME: Millis = 15 * SECOND;
/** A worker that knew the account's route a moment before it was freed has stored its message by then. */
const SETTLE_TIME: Millis = 30 * SECOND;
/** Until a disconnection or an erasure that others do is looked at again. */
const RECHECK_DELAY: Millis = MINUTE;
const START: Position = { after: null, erased: false };
/** How much the times of messages and the clocks of two processes may differ. */
const CLOCK_MARGIN: Millis = 10 * MINUTE;

/**
 * Erases the conversations of an account whose person requested the deletion of their data. It waits until the account
 * is disconnected and no worker stores its messages any more. Then it erases every conversation of the account, pass by
 * pass, until a pass finds none. The first pass reads the whole inbox; no index has the conversations of an account.
 * Each further one reads only what moved since the one before it began. If the same login connected the account again,
 * what was sent up to the request is erased after the same wait. If another login connected it, nothing is erased. Each
 * message continues the work of the one before it, and is safe to repeat. While there are messages, the account is not
 * due: a sweep queues a new run only when nothing has worked on it for long, and the messages of earlier runs are
 * dropped then.
 */
export async function eraseAccountConversations(
  ports: EraseAccountPorts,
  task: EraseTask,
  time: TaskTime,
): Promise<RecordOutcome> {
  const { tenant, account: ref, code } = task;
  if (code === null) return drop("stale");
  const pending = await ports.dataDeletions.getAccount({ code, tenant, account: ref });
  if (!pending) {
    await ports.dataDeletions.finish(code, time.now());
    return drop("stale");
  }
  if ((task.run ?? null) !== pending.run || !(await stayAhead(ports, pending, time.now()))) return drop("stale");
  const account = await ports.accounts.get(tenant, ref);
  const state = account ? await connectionState(ports, account, pending) : "gone";
  if (state === "others") return end(ports, pending, time);
  if (state === "not_disconnected_yet") return disconnectFirst(ports, account as Account, pending, time.now());
  // The request does not disconnect an account that was connected after it was issued.
  const keepsNewer = state === "connected_again" || pending.keepsNewer;
  const isGone = state === "gone" && !keepsNewer;
  const waitFor = isGone ? waitAfterDisconnection : waitAfterReconnection;
  const wait = task.after === null || isGone ? await waitFor(ports, pending, time) : 0;
  if (wait > 0) return requeue(ports, pending, START, wait);
  if (await isErasing(ports, pending)) return requeue(ports, pending, task, RECHECK_DELAY);
  const pass = await runPass(
    ports,
    { pending, position: task, upTo: keepsNewer ? pending.requestedAt : undefined },
    time,
  );
  if (pass === "taken_over") return drop("stale");
  if (pass.next !== null) return requeue(ports, pending, pass.next, 0);
  // A run before this one may have started an erasure in the meantime, whose conversation is in no inbox.
  const isLast = !pass.erased && !(await isErasing(ports, pending));
  const nextPass = { ...START, floor: pass.began - CLOCK_MARGIN };
  return isLast ? end(ports, pending, time) : requeue(ports, pending, nextPass, RECHECK_DELAY);
}

/** Makes the account due later, well before it is. @returns false when a repeated request or another run took over */
async function stayAhead(
  { dataDeletions }: Pick<EraseAccountPorts, "dataDeletions">,
  pending: PendingAccount,
  now: Millis,
): Promise<boolean> {
  const isFar = pending.dueAt !== null && pending.dueAt > now + DATA_DELETION_OVERDUE / 2;
  return isFar || dataDeletions.postpone(pending, now + DATA_DELETION_OVERDUE);
}

/** Who connects an account that stands. */
async function connectionState(
  { dataDeletionKeys }: Pick<EraseAccountPorts, "dataDeletionKeys">,
  account: Account,
  { code, requestedAt }: PendingAccount,
): Promise<"others" | "not_disconnected_yet" | "connected_again"> {
  const keys = await dataDeletionKeys();
  if (!account.authorizedBy.some((userId) => confirmationCodes(keys, userId).includes(code))) return "others";
  return connectedAt(account) > requestedAt ? "connected_again" : "not_disconnected_yet";
}

/** The task that disconnects the account may have failed for longer than its queue repeats it. */
async function disconnectFirst(
  ports: Pick<EraseAccountPorts, "accountWork">,
  { connectionId }: Account,
  pending: PendingAccount,
  now: Millis,
): Promise<RecordOutcome> {
  const { tenant, account } = pending;
  await queueDisconnectTask(ports, { tenant, account, connectionId }, now);
  return requeue(ports, pending, START, RECHECK_DELAY);
}

/** Also removes what is left of the login: the next check of an account names it. @returns 0 when the wait is over */
async function waitAfterDisconnection(
  ports: Pick<EraseAccountPorts, "accounts" | "holderTimes" | "accountChecks" | "authorizations" | "dataDeletions">,
  pending: PendingAccount,
  time: TaskTime,
): Promise<Millis> {
  const { tenant, account, goneAt } = pending;
  const now = time.now();
  if (goneAt !== null) return Math.max(0, goneAt + ACCOUNT_RELEASE_WAIT + SETTLE_TIME - now);
  const check = await ports.accountChecks.get(tenant, account);
  // Read after its check: a check of a connection made since is not to be removed.
  if (await ports.accounts.get(tenant, account)) return RECHECK_DELAY;
  if (check) {
    for (const login of allLogins(check)) await ports.authorizations.remove({ tenant, account, ...login });
    await ports.accountChecks.remove(check);
  }
  // A late webhook from before the disconnection would bring messages back. Workers remember these times for a minute.
  await ports.holderTimes.removeTimes(tenant, account, { requestedAt: pending.requestedAt, keepsNewer: false });
  await ports.dataDeletions.markGone(pending, now);
  return ACCOUNT_RELEASE_WAIT + SETTLE_TIME;
}

/**
 * What no webhook brought before the request must not be fetched for the new connection. Workers remember the times of
 * before for a minute. @returns 0 when the wait is over
 */
async function waitAfterReconnection(
  ports: Pick<EraseAccountPorts, "holderTimes" | "dataDeletions">,
  pending: PendingAccount,
  time: TaskTime,
): Promise<Millis> {
  const { tenant, account, requestedAt, goneAt } = pending;
  const now = time.now();
  const isChanged = await ports.holderTimes.removeTimes(tenant, account, { requestedAt, keepsNewer: true });
  if (!isChanged && goneAt !== null) return Math.max(0, goneAt + ACCOUNT_RELEASE_WAIT + SETTLE_TIME - now);
  await ports.dataDeletions.markGone(pending, now);
  return ACCOUNT_RELEASE_WAIT + SETTLE_TIME;
}

/** Whether the erasure that was started last is still removing rows in the background. */
async function isErasing(
  { erasures }: Pick<EraseAccountPorts, "erasures">,
  { tenant, erasureId }: PendingAccount,
): Promise<boolean> {
  return erasureId !== null && (await erasures.get(tenant, erasureId))?.phase === "first";
}

/**
 * @param pass `upTo`: messages that are newer stay; undefined for none
 * @returns `next`: where to continue, null at the end of the pass; `taken_over`: by a repeated request or another run
 */
async function runPass(
  ports: EraseAccountPorts,
  {
    pending,
    position,
    upTo,
  }: { readonly pending: PendingAccount; readonly position: Position; readonly upTo: Millis | undefined },
  time: TaskTime,
): Promise<{ readonly next: Position | null; readonly erased: boolean; readonly began: Millis } | "taken_over"> {
  const { tenant, account } = pending;
  const { began = time.now(), floor } = position;
  const key = accountKey(account);
  const hasTime = () => time.now() < time.endsAt - STEP_TIME;
  let { after, erased } = position;
  const stop = () => ({ next: { after, erased, began, floor }, erased, began });
  for (;;) {
    if (!hasTime()) return stop();
    const { heads, next } = await ports.conversations.inbox(tenant, {
      before: after,
      since: floor,
      limit: PAGE_SIZE,
      filter: ({ ref }) => accountKey(ref.account) === key,
      now: time.now(),
    });
    for (const { id } of heads) {
      // An erased conversation is in no inbox, so that the page is read again without it.
      if (!hasTime()) return stop();
      if (!(await ports.dataDeletions.recordErasure(pending, deriveErasureId(id)))) return "taken_over";
      const erasure = { tenant, conversationId: id, now: time.now(), time, upTo };
      const result = await ports.eraseConversation(erasure, hasTime);
      // One that goes on is in the inbox of each pass.
      const isLeft = upTo !== undefined && (isRefusal(result) || (result.done && !hasRemovals(result.removed)));
      erased ||= !isLeft;
      if (!isRefusal(result) && !result.done) return stop();
    }
    if (next === null) return { next: null, erased, began };
    after = next;
  }
}

function hasRemovals(removed: RemovalCounts): boolean {
  return Object.values(removed).some((count) => count > 0);
}

async function end(
  { dataDeletions }: Pick<EraseAccountPorts, "dataDeletions">,
  pending: PendingAccount,
  time: TaskTime,
): Promise<RecordOutcome> {
  await dataDeletions.removeAccount(pending);
  await dataDeletions.finish(pending.code, time.now());
  return done;
}

/** Queued as a new message: to return the same one would count as a failed receive. */
async function requeue(
  { accountWork }: Pick<EraseAccountPorts, "accountWork">,
  { code, tenant, account, run }: PendingAccount,
  { after, erased, began, floor }: Position,
  delay: Millis,
): Promise<RecordOutcome> {
  const task = {
    op: "erase_conversations",
    tenant,
    account,
    code,
    run: run ?? undefined,
    after,
    erased,
    began,
    floor,
  } as const;
  const body = encodeAccountTask(task);
  await accountWork.send({ body, group: tenant, delay });
  return done;
}
