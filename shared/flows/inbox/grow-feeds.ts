import { feedShardsFor } from "../../domain/inbox/feeds.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { TenantStates } from "../../stores/access/tenant-states.ts";

/** Gives a tenant's feeds more shards once its messages of an hour ask for them. Most never do: then nothing is read. */
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
