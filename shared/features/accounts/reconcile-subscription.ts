import { errorClass } from "#base/kernel/error-class.ts";
import { allDone } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import { done, drop, type RecordOutcome } from "#base/queues/record-outcome.ts";
import type { AccountPlatform, CallAccount, CallFailure } from "#platforms/graph/account-platform.ts";
import { queueBackfill } from "./flows/backfill/queue-backfill.ts";
import { accountToken } from "./platform-calls.ts";
import type { ReconcilePorts, ReconcileTaskPorts, SubscriptionCallPorts, TaskTime } from "./ports.ts";
import { type AccountTask, encodeAccountTask } from "./queue.ts";
import { type Account, type AccountRef, accountKey, type ReplacedConnection } from "./rules/accounts.ts";
import type { Disconnecting } from "./store/connections.ts";
import type { PageUse } from "./store/page-uses.ts";

// First the calls that start and end a subscription, then what decides on them.

/**
 * The webhooks of a page, or of an account of Instagram Login, as a connection gets them: the account's own, or one
 * that it replaced. Accounts on one page share them.
 */
export interface Subscription extends ReplacedConnection {
  readonly tenant: TenantId;
  readonly ref: AccountRef;
}

export type SubscriptionOutcome = { readonly kind: "done" } | CallFailure;

const UNSUBSCRIBE_TIMEOUT: Millis = 10 * SECOND;
/** What follows the call: one transaction and a message. */
const STORE_RESERVE: Millis = 5 * SECOND;

export function ownSubscription(tenant: TenantId, account: Account): Subscription {
  const { platform, externalId, pageId, connection, sealedToken } = account;
  return { tenant, ref: { platform, externalId }, pageId, connection, sealedToken };
}

/** The subscriptions of the connections that the account's own replaced. */
export function replacedSubscriptions(tenant: TenantId, account: Account): Subscription[] {
  return account.replaced.map((replaced) => ({ ...ownSubscription(tenant, account), ...replaced }));
}

/** Subscribes the app. Safe to repeat. @throws Error when the token does not open */
function subscribe(ports: SubscriptionCallPorts, subscription: Subscription): Promise<SubscriptionOutcome> {
  return callPlatform(ports, subscription, (platform, account, token) => platform.subscribe(account, token));
}

/** Asks the platform whether the app is subscribed with every field. @throws Error when the token does not open */
function readSubscription(
  ports: SubscriptionCallPorts<"readSubscription">,
  subscription: Subscription,
): ReturnType<AccountPlatform["readSubscription"]> {
  return callPlatform(ports, subscription, (platform, account, token) => platform.readSubscription(account, token));
}

/**
 * Ends the app's subscription, in one try of at most ten seconds. Does not throw: disconnecting does not depend on it.
 * @param time default: an invocation that ends later than the call
 */
async function unsubscribe(
  ports: SubscriptionCallPorts,
  subscription: Subscription,
  time?: TaskTime,
): Promise<SubscriptionOutcome> {
  const unknown = { kind: "unknown" } as const;
  try {
    const outcome = await callPlatform(ports, subscription, (platform, account, token) => {
      const endsBy = time && Math.min(time.now() + UNSUBSCRIBE_TIMEOUT, time.endsAt - STORE_RESERVE);
      return platform.unsubscribe(account, token, endsBy);
    });
    if (outcome.kind !== "done") logCallFailure(ports, "account.unsubscribe_failed", { subscription, outcome });
    return outcome;
  } catch (error) {
    logCallFailure(ports, "account.unsubscribe_failed", { subscription, outcome: unknown, error });
    return unknown;
  }
}

async function callPlatform<Calls extends keyof AccountPlatform, T>(
  { vault, accountPlatformFor }: SubscriptionCallPorts<Calls>,
  { tenant, ref, pageId, connection, sealedToken }: Subscription,
  call: (platform: Pick<AccountPlatform, Calls>, account: CallAccount, token: string) => Promise<T>,
): Promise<T> {
  const token = await accountToken(vault, tenant, { ...ref, sealedToken });
  return call(await accountPlatformFor(connection), { ...ref, pageId }, token);
}

/** Logs a call to the platform that failed. */
export function logCallFailure(
  { log }: Pick<SubscriptionCallPorts, "log">,
  event: "account.subscribe_failed" | "account.unsubscribe_failed",
  failure: {
    readonly subscription: Subscription;
    readonly outcome: CallFailure;
    readonly error?: unknown;
  },
): void {
  const { subscription, outcome, error } = failure;
  log({
    event,
    tenant: subscription.tenant,
    account: accountKey(subscription.ref),
    ...(error === undefined ? {} : { error: errorClass(error) }),
    ...(outcome.kind === "refused" ? { code: outcome.code, subcode: outcome.subcode } : {}),
  });
}

// What starts and ends the subscriptions to the accounts' webhooks. The rows of the accounts say which are needed.

/** A subscription that may not be as the accounts need it, with a token that may change it. */
interface Reconciliation {
  readonly subscription: Subscription;
  /**
   * What is being disconnected, so that its rows do not count: the account, or every account of its tenant. Default:
   * none.
   */
  readonly leaving?: "account" | "tenant";
  /** The connection of the account that needs the subscription. Absent: the account does not, so nothing is started. */
  readonly connected?: SubscribingConnection;
  /** Default: an invocation that ends later than each call. */
  readonly time?: TaskTime;
}

interface SubscribingConnection {
  /** Whether the platform said that the subscription is missing. Otherwise it was not asked. */
  readonly isMissing: boolean;
  /** Whether the account was not connected before, so that none of its messages is missing. */
  readonly isNew: boolean;
  readonly now: Millis;
  /**
   * Called after the app was subscribed. Of this call and a disconnection at the same time, one then ends the
   * subscription: if the disconnection was first, this returns false and the call ends it. If this was first, the
   * disconnection finds that the app may be subscribed.
   * @returns false when the account was disconnected or connected again in the meantime
   */
  readonly confirm: () => Promise<boolean>;
}

/**
 * `subscribed`: the app is. `gone`: the account does not need the subscription any more, and this call left none that
 * no account needs. `ended`: the call was made that ends it. `shared`: another account needs it, and nothing was
 * called. A failure: the app is not subscribed, or may not be.
 */
type Reconciled =
  | { readonly kind: "subscribed" | "gone" | "shared" }
  | { readonly kind: "ended"; readonly outcome: SubscriptionOutcome }
  | CallFailure;

/**
 * Makes the subscription of a page, or of an account of Instagram Login, what the connected accounts of all tenants
 * need: subscribed for a connection that needs it, ended when no account does. After the call the accounts are read
 * again. If no account needs a subscription that this call started, it is ended. If an account needs one that this call
 * ended, a task is queued. Safe to repeat, and to run at the same time as itself, as connecting and as disconnecting.
 * Ending does not throw for the platform or the token, because nothing waits for it.
 */
export async function reconcileSubscription(
  ports: ReconcilePorts,
  reconciliation: Reconciliation,
): Promise<Reconciled> {
  const { subscription, connected } = reconciliation;
  const users = await listUsers(ports, reconciliation);
  if (!connected) return users.length > 0 ? { kind: "shared" } : end(ports, reconciliation);
  if (!users.some((user) => isOwn(subscription, user))) return { kind: "gone" };
  // Before the call: no check finds the subscription missing once it is made again, also if this process dies.
  for (const user of users) await noteMissing(ports, { subscription, user, connected });
  const outcome = await subscribe(ports, subscription);
  if (outcome.kind !== "done") return outcome;
  const { tenant, ref, connection } = subscription;
  if (connected.isMissing) ports.log({ event: "account.resubscribed", tenant, account: accountKey(ref), connection });
  if (await connected.confirm()) return { kind: "subscribed" };
  // The account was disconnected during the call, and one that stays uses the subscription from now on. The
  // disconnection may have ended it before this call: it sees from the account's row that it has to end it again.
  for (const user of await listUsers(ports, { subscription })) {
    const account = await ports.accounts.get(user.tenant, user.account);
    if (account && (await markSubscribed(ports, { ...user, account }))) return { kind: "gone" };
  }
  await end(ports, reconciliation);
  return { kind: "gone" };
}

/**
 * Ends the subscriptions of an account around the write that removes it: the write removes the tokens, too, without
 * which nothing can be ended.
 * @param leaving `subscriptions`: the account's own first. `mayBeSubscribed`: another process may still subscribe for
 * it
 * @param remove disconnects the account, unless a check has subscribed since it was read
 */
export async function endSubscriptionsAround<Kind extends Disconnecting["kind"]>(
  ports: ReconcilePorts,
  leaving: { readonly subscriptions: readonly Subscription[]; readonly mayBeSubscribed: boolean },
  remove: () => Promise<Kind>,
  time: TaskTime,
): Promise<Kind> {
  const { subscriptions, mayBeSubscribed } = leaving;
  const before = await allDone(
    subscriptions.map((subscription) => reconcileSubscription(ports, { subscription, leaving: "account", time })),
  );
  const kind = await remove();
  if (kind === "disconnected") {
    const [own] = subscriptions;
    // Two accounts of a page that are disconnected at once have both seen the other one.
    const mayBeLeft = before[0]?.kind === "shared" || mayBeSubscribed;
    if (own && mayBeLeft) await reconcileSubscription(ports, { subscription: own, time });
    return kind;
  }
  for (const [index, subscription] of subscriptions.entries())
    if (before[index]?.kind === "ended") await requestReconciliation(ports, { subscription });
  return kind;
}

/**
 * Restores a subscription that was ended while an account came that needs it: the first account whose token works
 * subscribes the app, if the platform says that it is not subscribed. Where none does, each account's check reports
 * why, and tries again until the platform answers.
 */
export async function runReconciliation(
  ports: ReconcileTaskPorts,
  { tenant, account: ref, pageId }: Extract<AccountTask, { op: "reconcile_subscription" }>,
  time: TaskTime,
): Promise<RecordOutcome> {
  const users = pageId === null ? [{ tenant, account: ref }] : await ports.pageUses.list(pageId);
  const failing: PageUse[] = [];
  for (const user of users) {
    const account = await ports.accounts.get(user.tenant, user.account);
    if (account?.pageId !== pageId) continue;
    if (await restore(ports, { ...user, account }, time)) return done;
    failing.push(user);
  }
  if (failing.length === 0) return drop("gone");
  for (const user of failing)
    await ports.accountWork.send({ body: encodeAccountTask({ op: "check", ...user }), group: user.tenant });
  return done;
}

/**
 * Marks an account for which the app was subscribed. A disconnection that ended the subscription before then does not
 * remove the account, but begins again.
 * @returns false when the account was disconnected or connected again
 */
export function markSubscribed(
  { accounts }: Pick<ReconcilePorts, "accounts">,
  { tenant, account }: Pick<ConnectedUser, "tenant" | "account">,
): Promise<boolean> {
  const { platform, externalId, connectionId } = account;
  return accounts.recordResubscription({ tenant, ref: { platform, externalId }, connectionId });
}

type ConnectedUser = Omit<PageUse, "account"> & { readonly account: Account };

/** @returns whether the app is subscribed for an account that is connected */
async function restore(ports: ReconcileTaskPorts, user: ConnectedUser, time: TaskTime): Promise<boolean> {
  if (user.account.status === "needs_reauth") return false;
  const subscription = ownSubscription(user.tenant, user.account);
  // A token that does not open fails again in the account's check, which the queue repeats.
  const answer = await readSubscription(ports, subscription).catch(() => null);
  if (answer?.kind !== "read") return false;
  if (answer.isComplete) return true;
  const now = time.now();
  const confirm = () => markSubscribed(ports, user);
  const connected = { isMissing: true, isNew: false, now, confirm };
  return (await reconcileSubscription(ports, { subscription, connected, time })).kind === "subscribed";
}

/**
 * Ends a subscription that no account needs, and then queues a task if an account needs it. An account that was
 * connected during the call may have subscribed before the subscription was ended.
 */
async function end(ports: ReconcilePorts, reconciliation: Reconciliation): Promise<Reconciled> {
  const { subscription, time } = reconciliation;
  const outcome = await unsubscribe(ports, subscription, time);
  await requestReconciliation(ports, reconciliation);
  return { kind: "ended", outcome };
}

/** Queues one task for the accounts that need the subscription: it reads again which these are. */
async function requestReconciliation(
  ports: Pick<ReconcilePorts, "accounts" | "pageUses" | "accountWork">,
  reconciliation: Pick<Reconciliation, "subscription" | "leaving">,
): Promise<void> {
  const [user] = await listUsers(ports, reconciliation);
  if (!user) return;
  const { pageId } = reconciliation.subscription;
  const body = encodeAccountTask({ op: "reconcile_subscription", ...user, pageId });
  await ports.accountWork.send({ body, group: user.tenant });
}

/** The connected accounts that need a subscription, of all tenants, without those that are being disconnected. */
async function listUsers(
  { accounts, pageUses }: Pick<ReconcilePorts, "accounts" | "pageUses">,
  { subscription, leaving }: Pick<Reconciliation, "subscription" | "leaving">,
): Promise<PageUse[]> {
  const { tenant, ref, pageId, connection } = subscription;
  if (pageId !== null) {
    const users = await pageUses.list(pageId);
    if (leaving === "tenant") return users.filter((user) => user.tenant !== tenant);
    return leaving === "account" ? users.filter((user) => !isOwn(subscription, user)) : users;
  }
  // No other account has it, and no other tenant has the account while this one has its route.
  if (leaving === "account") return [];
  if (leaving === "tenant") {
    // A deletion that was killed may have released the route.
    const route = await accounts.getRoute(ref);
    return route !== null && route.tenant !== tenant ? [{ tenant: route.tenant, account: ref }] : [];
  }
  const account = await accounts.get(tenant, ref);
  return account?.connection === connection ? [{ tenant, account: ref }] : [];
}

function isOwn({ tenant, ref }: Subscription, user: PageUse): boolean {
  return user.tenant === tenant && accountKey(user.account) === accountKey(ref);
}

/** Has the messages fetched that an account may have missed while the app was not subscribed. */
async function noteMissing(
  ports: ReconcilePorts,
  {
    subscription,
    user,
    connected: { isMissing, isNew, now },
  }: { readonly subscription: Subscription; readonly user: PageUse; readonly connected: SubscribingConnection },
): Promise<void> {
  const isOfOwn = isOwn(subscription, user);
  if (isOfOwn && isNew) return;
  await queueBackfill(ports, { ...user, isCertain: isMissing || isOfOwn, now });
}
