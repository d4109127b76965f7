import { errorClass } from "#base/kernel/error-class.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import type { CallFailure } from "#platforms/accounts/account-platform.ts";
import { accountToken } from "./account-token.ts";
import type { SubscriptionPorts, TaskTime } from "./ports.ts";
import { type Account, type AccountRef, accountKey, type ReplacedConnection } from "./rules/accounts.ts";

/** A connection whose subscription changes: the account's own, or one that it replaced. */
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

/** Subscribes the app to the account's webhooks. Safe to repeat. */
export async function subscribe(ports: SubscriptionPorts, subscription: Subscription): Promise<SubscriptionOutcome> {
  const { tenant, ref, pageId } = subscription;
  const { platform, token } = await openConnection(ports, subscription);
  const outcome = await platform.subscribe({ ...ref, pageId }, token);
  if (outcome.kind !== "done") logFailure(ports, "account.subscribe_failed", { tenant, ref, outcome });
  return outcome;
}

/**
 * Ends the app's subscription to the account's webhooks, in one try of at most ten seconds. Does not throw:
 * disconnecting does not depend on it.
 */
export async function unsubscribe(
  ports: SubscriptionPorts,
  subscription: Subscription,
  time: TaskTime,
): Promise<SubscriptionOutcome> {
  const { tenant, ref, pageId } = subscription;
  const unknown = { kind: "unknown" } as const;
  try {
    const { platform, token } = await openConnection(ports, subscription);
    const endsBy = Math.min(time.now() + UNSUBSCRIBE_TIMEOUT, time.endsAt - STORE_RESERVE);
    const outcome = await platform.unsubscribe({ ...ref, pageId }, token, endsBy);
    if (outcome.kind !== "done") logFailure(ports, "account.unsubscribe_failed", { tenant, ref, outcome });
    return outcome;
  } catch (error) {
    logFailure(ports, "account.unsubscribe_failed", { tenant, ref, outcome: unknown, error });
    return unknown;
  }
}

/** Whether another connected account, of any tenant, needs the subscription of the page. */
export async function isPageShared(
  ports: Pick<SubscriptionPorts, "pageUses">,
  { tenant, ref, pageId }: Pick<Subscription, "tenant" | "ref" | "pageId">,
): Promise<boolean> {
  if (pageId === null) return false;
  const uses = await ports.pageUses.list(pageId);
  return uses.some((use) => use.tenant !== tenant || accountKey(use.account) !== accountKey(ref));
}

async function openConnection({ vault, accountPlatformFor }: SubscriptionPorts, subscription: Subscription) {
  const { tenant, ref, connection, sealedToken } = subscription;
  const token = await accountToken(vault, tenant, { ...ref, sealedToken });
  return { platform: await accountPlatformFor(connection), token };
}

function logFailure(
  { log }: SubscriptionPorts,
  event: "account.subscribe_failed" | "account.unsubscribe_failed",
  failure: {
    readonly tenant: TenantId;
    readonly ref: AccountRef;
    readonly outcome: CallFailure;
    readonly error?: unknown;
  },
): void {
  const { tenant, ref, outcome, error } = failure;
  log({
    event,
    tenant,
    account: accountKey(ref),
    ...(error === undefined ? {} : { error: errorClass(error) }),
    ...(outcome.kind === "refused" ? { code: outcome.code, subcode: outcome.subcode } : {}),
  });
}
