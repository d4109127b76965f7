import { forEachConcurrent } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { TaskTime } from "#features/accounts/ports.ts";
import {
  ownSubscription,
  replacedSubscriptions,
  type Subscription,
  subscribe,
  unsubscribe,
} from "#features/accounts/subscription.ts";
import type { DeleteTenantPorts } from "../ports.ts";

/** Each call ends within ten seconds. */
const CALLS_AT_ONCE = 10;

/**
 * Ends the platforms' webhooks of a tenant's accounts, in one try for each: afterwards their tokens are deleted. A page
 * that an account of another tenant uses stays subscribed. Safe to repeat.
 */
export async function endTenantSubscriptions(
  ports: DeleteTenantPorts,
  tenant: TenantId,
  now: () => Millis,
): Promise<void> {
  const time = { now, endsAt: Number.POSITIVE_INFINITY };
  const accounts = await ports.accounts.listAll(tenant);
  await forEachConcurrent(accounts, CALLS_AT_ONCE, async (account) => {
    await endSubscription(ports, ownSubscription(tenant, account), time);
    for (const replaced of replacedSubscriptions(tenant, account)) await endSubscription(ports, replaced, time);
  });
}

async function endSubscription(ports: DeleteTenantPorts, subscription: Subscription, time: TaskTime): Promise<void> {
  if (await isUsedByOthers(ports, subscription)) return;
  await unsubscribe(ports, subscription, time);
  // Another tenant may have connected an account of the page during the call.
  if (await isUsedByOthers(ports, subscription)) await subscribe(ports, subscription);
}

/** Another tenant may have connected an account, where a deletion that was killed continues. */
async function isUsedByOthers(
  { accounts, pageUses }: DeleteTenantPorts,
  { tenant, ref, pageId }: Subscription,
): Promise<boolean> {
  if (pageId !== null) return (await pageUses.list(pageId)).some((use) => use.tenant !== tenant);
  const route = await accounts.getRoute(ref);
  return route !== null && route.tenant !== tenant;
}
