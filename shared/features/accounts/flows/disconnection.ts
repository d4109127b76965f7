import { deriveEventUlid } from "#base/events/events.ts";
import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import { done, type RecordOutcome, retry } from "#base/queues/record-outcome.ts";
import type { ChangeAuthor } from "#features/access/rules/callers.ts";
import { type Author, authorName, authorUserId, hasRole, roles } from "#features/access/rules/callers.ts";
import { encodeEvent } from "#features/delivery/event-queue.ts";
import { journaled } from "#features/recovery/journal.ts";
import { renderAccountEvent } from "../events.ts";
import type { AccountDisconnectPorts, TaskTime } from "../ports.ts";
import { type AccountTask, type DisconnectReason, encodeAccountTask } from "../queue.ts";
import { endSubscriptionsAround, ownSubscription, replacedSubscriptions } from "../reconcile-subscription.ts";
import { type Account, type AccountRef, accountKey } from "../rules/accounts.ts";
import { mayBeConnecting } from "./finish-connect.ts";

/** An account to disconnect, and who requested it. A person must be at least an admin. */
export interface DisconnectionRequest {
  readonly author: Author;
  readonly tenant: TenantId;
  readonly account: AccountRef;
  readonly reason: DisconnectReason;
}

type DisconnectTask = Extract<AccountTask, { op: "disconnect" }>;

/** By then the request has ended. */
export const COMPLETION_DELAY: Millis = MINUTE;

/** Each attempt meets another connection of the account, or another subscription: for it, or that it takes over. */
const ATTEMPTS_MAX = 5;

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
  const { author, tenant, account: ref, reason } = request;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const account = await ports.accounts.get(tenant, ref);
    if (!account) return refuse("account_not_found");
    const task: DisconnectTask = {
      op: "disconnect",
      tenant,
      account: ref,
      connectionId: account.connectionId,
      reason,
      actor: authorName(author),
      userId: authorUserId(author),
      ip: author.ip ?? null,
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
  for (let attempt = 1; ; attempt++) {
    const account = await ports.accounts.get(task.tenant, task.account);
    if (account?.connectionId !== task.connectionId) break;
    if (attempt > ATTEMPTS_MAX) return retry("subscription");
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
  const mayBeSubscribed = await mayBeConnecting(ports, { tenant, account }, time);
  const subscriptions = [ownSubscription(tenant, account), ...replacedSubscriptions(tenant, account)];
  const remove = async () => {
    const act = { kind: "account.disconnect", tenant, account: accountKey(ref), connectionId } as const;
    const write = () =>
      ports.accounts.disconnect({
        tenant,
        ref,
        connectionId,
        resubscriptions: account.resubscriptions,
        author: disconnectionAuthor(task, time.now()),
        event: renderAccountEvent(tenant, event),
        now: time.now(),
      });
    const { kind } = await journaled(ports, { act, at: time.now() }, write, (result) => result.kind !== "disconnected");
    if (kind === "disconnected") await sendDisconnectedEvent(ports, task);
    return kind;
  };
  return endSubscriptionsAround(ports, { subscriptions, mayBeSubscribed }, remove, time);
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
