import type { FailingStatus } from "../../domain/delivery/deliveries.ts";
import { SUMMARY_EXAMINED_MAX } from "../../domain/limits.ts";
import type { Endpoint } from "../../domain/webhooks/endpoints.ts";
import { isUlid } from "../../kernel/ids.ts";
import { isRefusal, type Refusal, refuse } from "../../kernel/refusals.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { DeliveryRow } from "../../stores/delivery/delivery-items.ts";
import type { ApiPorts } from "../ports.ts";

type ReadPorts = Pick<ApiPorts, "endpoints">;

/** The endpoints that are live, oldest first. */
export async function listWebhooks(ports: ReadPorts, tenant: TenantId): Promise<Endpoint[]> {
  return (await ports.endpoints.list(tenant, { consistent: true })).filter((endpoint) => endpoint.status !== "deleted");
}

export async function getWebhook(
  ports: ReadPorts,
  tenant: TenantId,
  endpointId: string,
): Promise<Endpoint | Refusal<"endpoint_not_found">> {
  const endpoint = isUlid(endpointId) ? await ports.endpoints.get(tenant, endpointId) : null;
  return endpoint && endpoint.status !== "deleted" ? endpoint : refuse("endpoint_not_found");
}

/**
 * What of an endpoint's deliveries has not come through, newest event first.
 * @returns `truncated` when only the newest 1,000 could be looked at
 */
export async function summarizeFailures(
  ports: Pick<ApiPorts, "endpoints" | "deliveries">,
  tenant: TenantId,
  endpointId: string,
  { since, statuses }: { since: Millis; statuses: readonly FailingStatus[] },
  now: Millis,
): Promise<{ rows: DeliveryRow[]; truncated: boolean } | Refusal<"endpoint_not_found">> {
  const endpoint = await getWebhook(ports, tenant, endpointId);
  if (isRefusal(endpoint)) return endpoint;
  return ports.deliveries.listUndelivered(tenant, {
    endpointId,
    statuses,
    since,
    examinedMax: SUMMARY_EXAMINED_MAX,
    now,
  });
}
