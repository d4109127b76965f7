import { memoizeForMinute } from "#base/kernel/memo.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type AccountRef, accountKey } from "#features/accounts/rules/accounts.ts";
import { holderAt } from "#features/accounts/rules/holders.ts";
import type { TenantState } from "#features/tenants/store/tenant-states.ts";
import type { IngestPorts } from "../ports.ts";

/** The tenant of a connected account, with the tenant's state. */
export interface ResolvedAccount extends TenantState {
  readonly tenant: TenantId;
  readonly handle: string;
}

/** When an update happened, by the platform's clock and not later than its arrival, and when it is processed. */
interface UpdateTime {
  readonly at: Millis;
  readonly now: Millis;
}

/** @returns null when no tenant had the account at the time of the update */
export type ResolveAccount = (ref: AccountRef, time: UpdateTime) => Promise<ResolvedAccount | null>;

/**
 * Finds the tenant that had an account when an update happened. Caches the holders of each account and each tenant's
 * state for a minute. Concurrent calls share one read. Where the cached holders do not name one, they are read again,
 * consistently: the account may have been connected a moment ago.
 */
export function accountResolver(ports: Pick<IngestPorts, "accounts" | "tenantStates">): ResolveAccount {
  const readHolders = memoizeForMinute(async (ref: AccountRef) => {
    const holders = await ports.accounts.listHolders(ref);
    return holders.length > 0 ? holders : null;
  }, accountKey);
  const readTenantState = memoizeForMinute((tenant: TenantId) => ports.tenantStates.get(tenant), String);
  return async (ref, { at, now }) => {
    const holder =
      holderAt((await readHolders(ref, now)) ?? [], at) ??
      holderAt(await ports.accounts.listHolders(ref, { consistent: true }), at);
    if (!holder) return null;
    const { tenant, handle } = holder;
    // Not cached with the holders: the state may be a minute old already.
    return { tenant, handle, ...(await readTenantState(tenant, now)) };
  };
}
