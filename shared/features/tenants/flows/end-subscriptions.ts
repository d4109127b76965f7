import { forEachConcurrent } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import {
  ownSubscription,
  reconcileSubscription,
  replacedSubscriptions,
} from "#features/accounts/reconcile-subscription.ts";
import type { DeleteTenantPorts } from "../ports.ts";

/** Each call ends within ten seconds. */
const CALLS_AT_ONCE = 10;

/**
 * Ends the platforms' webhooks of a tenant's accounts, in one try for each: afterwards their tokens are deleted. A page
 * that an account of another tenant uses stays subscribed, and is subscribed again by its task if that was connected during
 * the call. Safe to repeat.
 */
export async function endTenantSubscriptions(
  ports: DeleteTenantPorts,
  tenant: TenantId,
  now: () => Millis,
): Promise<void> {
  const time = { now, endsAt: Number.POSITIVE_INFINITY };
  const accounts = await ports.accounts.listAll(tenant);
  await forEachConcurrent(accounts, CALLS_AT_ONCE, async (account) => {
    for (const subscription of [ownSubscription(tenant, account), ...replacedSubscriptions(tenant, account)])
      await reconcileSubscription(ports, { subscription, leaving: "tenant", time });
  });
}
