import { deriveEventUlid } from "#base/events/events.ts";
import { ulidTime } from "#base/kernel/ids.ts";
import { allDone } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import { done, drop, type RecordOutcome, retry } from "#base/queues/record-outcome.ts";
import { queueNotice } from "#features/access/mails.ts";
import { SYSTEM } from "#features/access/rules/callers.ts";
import { encodeEvent } from "#features/delivery/event-queue.ts";
import type { CallFailure } from "#platforms/graph/account-platform.ts";
import { publishAccountEvent } from "../platform-calls.ts";
import type { AccountDisconnectPorts, ConnectedMailPorts, FinishConnectPorts, TaskTime } from "../ports.ts";
import { type AccountTask, encodeAccountTask } from "../queue.ts";
import {
  endSubscriptionsAround,
  logCallFailure,
  ownSubscription,
  reconcileSubscription,
  replacedSubscriptions,
} from "../reconcile-subscription.ts";
import { type Account, accountKey } from "../rules/accounts.ts";
import type { AccountCheck, AccountChecks } from "../store/account-checks.ts";
import type { Authorizations } from "../store/authorizations.ts";

interface FormerLoginPorts {
  readonly accountChecks: Pick<AccountChecks, "clearFormerLogins">;
  readonly authorizations: Pick<Authorizations, "expire">;
}

/**
 * Gives the rows of earlier connections' logins their end, eight days after the connection that replaced them. A data
 * deletion needs them so long. The check names them until each has its end, so that every later run completes what a
 * process that died left. Safe to repeat.
 */
export async function endFormerLogins(
  { accountChecks, authorizations }: FormerLoginPorts,
  check: Pick<AccountCheck, "tenant" | "account" | "connectionId" | "formerLogins">,
): Promise<void> {
  const { tenant, account, connectionId, formerLogins } = check;
  if (formerLogins.length === 0) return;
  const replacedAt = ulidTime(connectionId);
  await allDone(formerLogins.map((login) => authorizations.expire({ tenant, account, ...login }, replacedAt)));
  await accountChecks.clearFormerLogins(check);
}

type FinishConnectTask = Extract<AccountTask, { op: "finish_connect" }>;

/** A stored connection of an account. */
interface StoredConnection {
  readonly tenant: TenantId;
  readonly account: Account;
  /** Whether the account was connected before. */
  readonly isReconnection: boolean;
}

/** The queue receives a task ten times in 13 minutes. */
const SUBSCRIBE_TRIES_END: Millis = 10 * MINUTE;

/**
 * Completes a connection whose process may have died, and mails about it. Does nothing for an earlier connection. Safe
 * to repeat.
 */
export async function finishConnect(
  ports: FinishConnectPorts & ConnectedMailPorts,
  task: FinishConnectTask,
  time: TaskTime,
): Promise<RecordOutcome> {
  const { tenant, account: ref, connectionId } = task;
  // The check is read before the connection, because one write stores both: with the check of a later connection, the next
  // read does not find this one, and nothing is done.
  const check = await ports.accountChecks.get(tenant, ref);
  const stored = await ports.accounts.getConnection({ tenant, ref, connectionId });
  if (!stored) return drop("gone");
  const connection = { tenant, ...stored };
  const { account, isReconnection } = connection;
  const finish = async () => {
    await mailConnected(ports, { ...connection, userId: task.userId ?? null });
    return endReplacedSubscription(ports, connection, time);
  };
  await completeCheck(ports, connection, check);
  const event = connectedEvent(connection);
  const bodies = await ports.eventBodies.getByUlids(tenant, [event.eventUlid]);
  if (bodies.has(event.eventUlid)) {
    const { eventUlid, type } = event;
    const message = { tenant, eventUlid, type, source: null, repeated: true } as const;
    await ports.events.send({ body: encodeEvent(message), group: tenant });
    return finish();
  }
  const outcome = await completeConnection(ports, connection, time);
  if (outcome.kind === "done") return finish();
  if (outcome.kind === "gone") return done;
  const isFinal = (outcome.kind === "refused" && !outcome.transient) || triesEnded(connection, time);
  if (!isFinal) return retry("subscription");
  if (!isReconnection) {
    await revertConnection(ports, { tenant, account, outcome }, time);
    return done;
  }
  // The account has a new token. Its checks report whether it works, and try to subscribe again.
  await publishAccountEvent(ports, tenant, event);
  await ports.accountWork.send({ body: encodeAccountTask({ op: "check", tenant, account: ref }), group: tenant });
  return finish();
}

/** A connection that is complete. */
interface MailedConnection {
  readonly tenant: TenantId;
  readonly account: Account;
  /** Whether the mail about it was queued. */
  readonly isMailed: boolean;
  /** The person who connected the account; null when it is not known. */
  readonly userId: string | null;
}

/**
 * Queues a mail to the owners of the tenant, and to the person who connected the account, that it is connected. The
 * account's row records the mail after it is queued. So it is queued twice only if the process dies between the two, or
 * if two processes run at once.
 */
async function mailConnected(
  ports: ConnectedMailPorts,
  { tenant, account, isMailed, userId }: MailedConnection,
): Promise<void> {
  if (isMailed) return;
  const { platform, externalId, connectionId } = account;
  const key = accountKey(account);
  await queueNotice(ports, tenant, { kind: "account_notice", what: "connected", account: key, connectionId, userId });
  await ports.accounts.recordConnectedMail({ tenant, ref: { platform, externalId }, connectionId });
}

/**
 * Subscribes the app to the account's webhooks and publishes the connection.
 * @returns `gone`: the account was disconnected in the meantime, or connected again, as `current`; a failure when the
 *   app is not subscribed, or may not be
 */
export async function completeConnection(
  ports: FinishConnectPorts,
  connection: StoredConnection,
  time: TaskTime,
): Promise<{ readonly kind: "done" } | { readonly kind: "gone"; readonly current: Account | null } | CallFailure> {
  const { tenant, account, isReconnection } = connection;
  const subscription = ownSubscription(tenant, account);
  const { ref } = subscription;
  const { connectionId } = account;
  const connected = {
    // Subscribing is one call, as asking is.
    isMissing: false,
    isNew: !isReconnection,
    now: time.now(),
    // The event of the connection is stored after this read. So a disconnection that reads the account before it finds
    // no event, and ends the subscription after the account is removed.
    confirm: async () => (await ports.accounts.getConnection({ tenant, ref, connectionId })) !== null,
  };
  const outcome = await reconcileSubscription(ports, { subscription, connected, time });
  if (outcome.kind === "refused" || outcome.kind === "unknown") {
    logCallFailure(ports, "account.subscribe_failed", { subscription, outcome });
    return outcome;
  }
  const isStored = outcome.kind === "subscribed";
  const current = isStored ? account : await ports.accounts.get(tenant, ref);
  if (!current) return { kind: "gone", current };
  // Also of a connection that another one has replaced: that one is published as a reconnection.
  await publishAccountEvent(ports, tenant, connectedEvent(connection));
  return isStored ? { kind: "done" } : { kind: "gone", current };
}

/** Disconnects a new account whose subscription failed. Nothing was published of it. */
export async function revertConnection(
  ports: FinishConnectPorts,
  { tenant, account, outcome }: { readonly tenant: TenantId; readonly account: Account; readonly outcome: CallFailure },
  time: TaskTime,
): Promise<void> {
  const subscription = ownSubscription(tenant, account);
  const { ref } = subscription;
  const { connectionId } = account;
  const remove = async () => {
    const now = time.now();
    const audit = {
      action: "account.disconnect",
      resource: `account:${accountKey(account)}`,
      ...SYSTEM,
      ip: null,
      detail: { reason: "not_subscribed" },
      at: now,
    } as const;
    const author = { audit, actor: null };
    return (await ports.accounts.disconnect({ tenant, ref, connectionId, author, event: null, now })).kind;
  };
  // Without an answer, the app may be subscribed.
  const subscriptions = outcome.kind === "unknown" ? [subscription] : [];
  await endSubscriptionsAround(ports, { subscriptions, mayBeSubscribed: false }, remove, time);
}

/**
 * Ends the subscriptions of the connections that this one replaced. Without an answer the queue tries again, until the
 * old token is abandoned. Safe to repeat.
 */
export async function endReplacedSubscription(
  ports: FinishConnectPorts,
  connection: StoredConnection,
  time: TaskTime,
): Promise<RecordOutcome> {
  const { tenant, account } = connection;
  const subscriptions = replacedSubscriptions(tenant, account);
  if (subscriptions.length === 0) return done;
  let isUnknown = false;
  for (const subscription of subscriptions) {
    const result = await reconcileSubscription(ports, { subscription, time });
    isUnknown ||= result.kind === "ended" && result.outcome.kind === "unknown";
  }
  if (isUnknown && !triesEnded(connection, time)) return retry("unsubscription");
  const { platform, externalId, connectionId } = account;
  await ports.accounts.clearReplaced({ tenant, ref: { platform, externalId }, connectionId });
  return done;
}

/**
 * Gives an earlier connection's logins their end, unless the process that connected the account did. A connection of an
 * earlier release may have no check.
 */
async function completeCheck(
  ports: FinishConnectPorts,
  { tenant, account, isReconnection }: StoredConnection,
  stored: AccountCheck | null,
): Promise<void> {
  const { platform, externalId, connectionId, authorizedBy } = account;
  const ref = { platform, externalId } as const;
  const now = ulidTime(connectionId);
  const connection = { tenant, account: ref, connectionId, authorizedBy, isReconnection, now };
  const isOwn = stored?.connectionId === connectionId;
  const check = isOwn ? stored : await ports.accountChecks.replace(stored, connection);
  if (check) await endFormerLogins(ports, check);
}

function triesEnded({ account }: Pick<StoredConnection, "account">, { now }: TaskTime): boolean {
  return now() >= ulidTime(account.connectionId) + SUBSCRIBE_TRIES_END;
}

/**
 * Whether a process may still subscribe the app for this connection: none has published it, and the tries have not
 * ended.
 */
export async function mayBeConnecting(
  { eventBodies }: Pick<AccountDisconnectPorts, "eventBodies">,
  { tenant, account }: Pick<StoredConnection, "tenant" | "account">,
  time: TaskTime,
): Promise<boolean> {
  if (account.connectionId === "" || triesEnded({ account }, time)) return false;
  const events = [true, false].map((isReconnection) => connectedEvent({ tenant, account, isReconnection }));
  return (
    (
      await eventBodies.getByUlids(
        tenant,
        events.map(({ eventUlid }) => eventUlid),
      )
    ).size === 0
  );
}

/** A connection has one event, however often it is completed. */
function connectedEvent({ tenant, account, isReconnection }: StoredConnection) {
  const type = isReconnection ? "account.reconnected" : "account.connected";
  const { connectionId } = account;
  const cause = JSON.stringify([accountKey(account), connectionId]);
  const eventUlid = deriveEventUlid(tenant, cause, type, ulidTime(connectionId));
  return { eventUlid, type, account, reason: "user" } as const;
}
