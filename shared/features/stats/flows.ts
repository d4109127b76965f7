import { STATS_WINDOW } from "#base/kernel/limits.ts";
import { allDone } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { HOUR, type Millis } from "#base/kernel/time.ts";
import type { StatsPorts } from "./ports.ts";
import type { EndCounts } from "./rules.ts";

export interface Stats {
  readonly messages: number;
  readonly dlq: number;
  readonly windowHours: number;
  /** Every endpoint that is not deleted, oldest first, including those without counts. */
  readonly endpoints: readonly (EndCounts & { readonly endpointId: string })[];
}

/** Counts of the current hour and the 24 hours before it. */
export async function getStats(ports: StatsPorts, tenant: TenantId, now: Millis): Promise<Stats> {
  const [counts, allEndpoints] = await allDone([ports.counters.window(tenant, now), ports.endpoints.list(tenant)]);
  const endpoints = allEndpoints
    .filter(({ status }) => status !== "deleted")
    .map(({ id }) => ({ endpointId: id, ...counts.forEndpoint(id) }));
  return {
    messages: counts.messages,
    dlq: endpoints.reduce((sum, { dlq }) => sum + dlq, 0),
    windowHours: STATS_WINDOW / HOUR,
    endpoints,
  };
}
