import { memoizeForMinute } from "../../kernel/memo.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { TenantStates } from "../../stores/access/tenant-states.ts";

/** How many shards a tenant's feeds have; each answer is remembered for a minute. */
export function tenantShards(
  tenantStates: Pick<TenantStates, "get">,
): (tenant: TenantId, now: Millis) => Promise<number> {
  const readTenantState = memoizeForMinute((tenant: TenantId) => tenantStates.get(tenant), String);
  return async (tenant, now) => (await readTenantState(tenant, now)).shards;
}
