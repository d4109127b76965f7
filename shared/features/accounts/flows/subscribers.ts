import type { AccountDisconnectPorts, SubscriptionPorts, TaskTime } from "../ports.ts";
import { encodeAccountTask } from "../queue.ts";
import type { PageUse } from "../store/page-uses.ts";
import { isPageShared, type Subscription, type SubscriptionOutcome, unsubscribe } from "../subscription.ts";

/** The connected accounts that need the subscription. */
export async function listSubscribers(
  {
    accounts,
    pageUses,
  }: Pick<AccountDisconnectPorts, "pageUses"> & { readonly accounts: Pick<AccountDisconnectPorts["accounts"], "get"> },
  { tenant, ref, pageId, connection }: Subscription,
): Promise<PageUse[]> {
  if (pageId !== null) return pageUses.list(pageId);
  const account = await accounts.get(tenant, ref);
  return account?.connection === connection ? [{ tenant, account: ref }] : [];
}

/**
 * Has the accounts checked that need a subscription that this process ended: one that was connected during the call may
 * have subscribed before the platform unsubscribed.
 */
export async function checkSubscribers(
  ports: Parameters<typeof listSubscribers>[0] & Pick<AccountDisconnectPorts, "accountWork">,
  subscription: Subscription,
): Promise<void> {
  // Each of them, because another one may be disconnected before its check.
  for (const subscriber of await listSubscribers(ports, subscription)) {
    const body = encodeAccountTask({ op: "check", ...subscriber });
    await ports.accountWork.send({ body, group: subscriber.tenant });
  }
}

/**
 * Ends a subscription unless another account needs it, and has those checked that came during the call.
 * @returns the outcome of the call; null when another account needs the subscription
 */
export async function endUnsharedSubscription(
  ports: Parameters<typeof checkSubscribers>[0] & SubscriptionPorts,
  subscription: Subscription,
  time: TaskTime,
): Promise<SubscriptionOutcome | null> {
  if (await isPageShared(ports, subscription)) return null;
  const outcome = await unsubscribe(ports, subscription, time);
  await checkSubscribers(ports, subscription);
  return outcome;
}
