import { deriveEventUlid } from "#base/events/events.ts";
import { allDone } from "#base/kernel/parallel.ts";
import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import { done, type RecordOutcome } from "#base/queues/record-outcome.ts";
import { type Author, authorName } from "#features/access/author.ts";
import { hasRole, roles } from "#features/access/rules/roles.ts";
import type { ChangeAuthor } from "#features/access/store/acting-conditions.ts";
import { encodeEvent } from "#features/delivery/event-queue.ts";
import { renderAccountEvent } from "../events.ts";
import type { AccountDisconnectPorts, SubscriptionPorts, TaskTime } from "../ports.ts";
import { type AccountTask, type DisconnectReason, encodeAccountTask } from "../queue.ts";
import { type Account, type AccountRef, accountKey } from "../rules/accounts.ts";
import {
  isPageShared,
  ownSubscription,
  replacedSubscriptions,
  type Subscription,
  unsubscribe,
} from "../subscription.ts";
import { mayBeConnecting } from "./finish-connect.ts";
import { checkSubscribers, listSubscribers } from "./subscribers.ts";

/** An account to disconnect, and who requested it. A person must be at least an admin. */
export type DisconnectionRequest = Author & {
  readonly tenant: TenantId;
  readonly account: AccountRef;
  readonly reason: DisconnectReason;
};

type DisconnectTask = Extract<AccountTask, { op: "let_go" }>;

/** By then the request has ended. */
export const COMPLETION_DELAY: Millis = MINUTE;

/** Each attempt meets another connection of the account, or another subscription by a check. */
const ATTEMPTS_MAX = 3;

const auditActions = { user: "account.disconnect", platform_deauthorized: "platform.deauthorize" } as const;

/**
 * Disconnects an account: ends its subscription unless another account uses its page, removes the account with its
 * token and its route, and publishes `account.disconnected`. Queues a task first, which completes the disconnection if
 * this process dies.
 */
export async function runDisconnection(
  ports: AccountDisconnectPorts,
  request: DisconnectionRequest,
  time: TaskTime,
): Promise<Account | Refusal<"account_not_found" | "role_forbidden">> {
  const { tenant, account: ref, reason } = request;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const account = await ports.accounts.get(tenant, ref);
    if (!account) return refuse("account_not_found");
    const userId = "caller" in request && request.caller.kind === "session" ? request.caller.userId : null;
    const task: DisconnectTask = {
      op: "let_go",
      tenant,
      account: ref,
      connectionId: account.connectionId,
      reason,
      actor: authorName(request),
      userId,
      ip: request.ip ?? null,
      at: time.now(),
    };
    await ports.accountWork.send({ body: encodeAccountTask(task), group: tenant, delay: COMPLETION_DELAY });
    const result = await disconnectConnection(ports, { task, account }, time);
    if (result === "disconnected") return account;
    if (result === "actor_changed") return refuse("role_forbidden");
  }
  throw new Error("The account was connected or subscribed again on every attempt to disconnect it.");
}

/** Completes a disconnection. Does nothing for an account that was connected again. Safe to repeat. */
export async function completeDisconnection(
  ports: AccountDisconnectPorts,
  task: DisconnectTask,
  time: TaskTime,
): Promise<RecordOutcome> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const account = await ports.accounts.get(task.tenant, task.account);
    if (account?.connectionId !== task.connectionId) break;
    const result = await disconnectConnection(ports, { task, account }, time);
    if (result !== "gone") return done;
  }
  // The body is stored with the disconnection.
  const eventUlid = disconnectedEventUlid(task);
  const bodies = await ports.eventBodies.getByUlids(task.tenant, [eventUlid]);
  if (bodies.has(eventUlid)) await sendDisconnectedEvent(ports, task);
  return done;
}

/** @returns `gone`: another process disconnected the account, or it was connected again or subscribed again */
async function disconnectConnection(
  ports: AccountDisconnectPorts,
  { task, account }: { readonly task: DisconnectTask; readonly account: Account },
  time: TaskTime,
): Promise<"disconnected" | "gone" | "actor_changed"> {
  const { tenant, account: ref, connectionId, reason } = task;
  const event = { eventUlid: disconnectedEventUlid(task), type: "account.disconnected", account, reason } as const;
  const subscription = ownSubscription(tenant, account);
  const mayBeSubscribed = await mayBeConnecting(ports, { tenant, account }, time);
  const [isUnsubscribed, endedReplaced] = await endSubscriptions(ports, { tenant, account }, time);
  const { kind } = await ports.accounts.disconnect({
    tenant,
    ref,
    connectionId,
    resubscribedAt: account.resubscribedAt,
    author: disconnectionAuthor(task, time.now()),
    event: renderAccountEvent(tenant, event),
    now: time.now(),
  });
  if (kind === "disconnected") await sendDisconnectedEvent(ports, task);
  const isGone = kind === "disconnected";
  await reconcileSubscription(ports, { subscription, isUnsubscribed, mayBeSubscribed, isGone }, time);
  for (const subscription of endedReplaced) await checkSubscribers(ports, subscription);
  return kind;
}

/**
 * Ends the subscription of an account, and those of the connections it replaced, unless another account uses the page.
 * @returns whether a call was made for its own, and the replaced ones for which a call was made
 */
async function endSubscriptions(
  ports: SubscriptionPorts,
  { tenant, account }: { readonly tenant: TenantId; readonly account: Account },
  time: TaskTime,
): Promise<[isUnsubscribed: boolean, endedReplaced: readonly Subscription[]]> {
  const end = async (subscription: Subscription) => {
    if (await isPageShared(ports, subscription)) return null;
    await unsubscribe(ports, subscription, time);
    return subscription;
  };
  const [own, ...replaced] = await allDone(
    [ownSubscription(tenant, account), ...replacedSubscriptions(tenant, account)].map(end),
  );
  return [own !== null, replaced.filter((each) => each !== null)];
}

interface PageState {
  readonly subscription: Subscription;
  /** Whether this process made a call that ends the subscription. */
  readonly isUnsubscribed: boolean;
  /** Whether another process may have subscribed since. */
  readonly mayBeSubscribed: boolean;
  /** Whether this process disconnected the account. */
  readonly isGone: boolean;
}

/**
 * Reads again which accounts use the page, because what this process read before may be outdated: another account of
 * the page may have been connected or disconnected at the same time.
 */
async function reconcileSubscription(ports: AccountDisconnectPorts, state: PageState, time: TaskTime): Promise<void> {
  const { subscription, isUnsubscribed, mayBeSubscribed, isGone } = state;
  const mayBeLeft = isGone && (!isUnsubscribed || mayBeSubscribed);
  const isLeft = mayBeLeft && (await listSubscribers(ports, subscription)).length === 0;
  if (isLeft) await unsubscribe(ports, subscription, time);
  if (isLeft || isUnsubscribed) await checkSubscribers(ports, subscription);
}

async function sendDisconnectedEvent(
  { events }: Pick<AccountDisconnectPorts, "events">,
  task: DisconnectTask,
): Promise<void> {
  const { tenant } = task;
  const eventUlid = disconnectedEventUlid(task);
  const message = { tenant, eventUlid, type: "account.disconnected", source: null, repeated: true } as const;
  await events.send({ body: encodeEvent(message), group: tenant });
}

function disconnectedEventUlid({ tenant, account, connectionId, at }: DisconnectTask): string {
  return deriveEventUlid(tenant, JSON.stringify([accountKey(account), connectionId]), "account.disconnected", at);
}

/** The write requires that a person who requested the disconnection is still an admin. */
function disconnectionAuthor({ account, reason, actor, ip, userId }: DisconnectTask, now: Millis): ChangeAuthor {
  const resource = `account:${accountKey(account)}`;
  return {
    audit: { action: auditActions[reason], resource, actor, ip, detail: {}, at: now },
    actor: userId === null ? null : { userId, roles: roles.filter((role) => hasRole(role, "admin")) },
  };
}
