import { memoizeForMinute } from "#base/kernel/memo.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { TenantStates } from "#features/tenants/store/tenant-states.ts";
import { feedShardsFor } from "../rules/messages.ts";

/**
 * Adds shards to a tenant's feeds when its messages of the hour exceed them. Reads nothing for a tenant within one
 * shard.
 */
export async function growFeeds(
  tenantStates: Pick<TenantStates, "get" | "growShards">,
  tenant: TenantId,
  messagesInHour: number,
): Promise<void> {
  const targetShards = feedShardsFor(messagesInHour);
  if (targetShards === 1) return;
  const { shards } = await tenantStates.get(tenant);
  if (shards < targetShards) await tenantStates.growShards(tenant, shards, targetShards);
}

/** Reads how many shards a tenant's feeds have. A result is cached for a minute. */
export function tenantShards(
  tenantStates: Pick<TenantStates, "get">,
): (tenant: TenantId, now: Millis) => Promise<number> {
  const readTenantState = memoizeForMinute((tenant: TenantId) => tenantStates.get(tenant), String);
  return async (tenant, now) => (await readTenantState(tenant, now)).shards;
}
