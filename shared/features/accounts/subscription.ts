import { errorClass } from "#base/kernel/error-class.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import type { AccountPlatform, CallAccount, CallFailure } from "#platforms/accounts/account-platform.ts";
import { accountToken } from "./account-token.ts";
import type { SubscriptionCallPorts, TaskTime } from "./ports.ts";
import { type Account, type AccountRef, accountKey, type ReplacedConnection } from "./rules/accounts.ts";

// The calls that start and end a subscription. What decides on them is in `reconcile-subscription.ts`.

/**
 * The webhooks of a page, or of an account of Instagram Login, as a connection gets them: the account's own, or one that
 * it replaced. Accounts on one page share them.
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
export function subscribe(ports: SubscriptionCallPorts, subscription: Subscription): Promise<SubscriptionOutcome> {
  return callPlatform(ports, subscription, (platform, account, token) => platform.subscribe(account, token));
}

/** Asks the platform whether the app is subscribed with every field. @throws Error when the token does not open */
export function readSubscription(
  ports: SubscriptionCallPorts<"readSubscription">,
  subscription: Subscription,
): ReturnType<AccountPlatform["readSubscription"]> {
  return callPlatform(ports, subscription, (platform, account, token) => platform.readSubscription(account, token));
}

/**
 * Ends the app's subscription, in one try of at most ten seconds. Does not throw: disconnecting does not depend on it.
 * @param time default: an invocation that ends later than the call
 */
export async function unsubscribe(
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
