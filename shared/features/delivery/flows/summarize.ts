import { SUMMARY_EXAMINED_MAX } from "#base/kernel/limits.ts";
import { isRefusal, type Refusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { getLiveEndpoint } from "../live-endpoint.ts";
import type { ReplayPorts } from "../ports.ts";
import type { FailingStatus } from "../rules/deliveries.ts";
import type { DeliveryRow } from "../store/items.ts";

/**
 * Lists an endpoint's undelivered events, newest first.
 * @returns `truncated` when only the newest 1,000 rows were read
 */
export async function summarizeFailures(
  ports: Pick<ReplayPorts, "endpoints" | "deliveries">,
  tenant: TenantId,
  { endpointId, since, statuses }: { endpointId: string; since: Millis; statuses: readonly FailingStatus[] },
  now: Millis,
): Promise<{ rows: DeliveryRow[]; truncated: boolean } | Refusal<"endpoint_not_found">> {
  const endpoint = await getLiveEndpoint(ports, tenant, endpointId);
  if (isRefusal(endpoint)) return endpoint;
  return ports.deliveries.listUndelivered(tenant, {
    endpointId,
    statuses,
    since,
    examinedMax: SUMMARY_EXAMINED_MAX,
    now,
  });
}
