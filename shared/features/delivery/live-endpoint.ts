import { isUlid } from "#base/kernel/ids.ts";
import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Endpoint } from "#features/webhooks/rules/endpoints.ts";
import type { ReplayPorts } from "./ports.ts";

/** Reads an endpoint; a deleted one is not found. */
export async function getLiveEndpoint(
  ports: Pick<ReplayPorts, "endpoints">,
  tenant: TenantId,
  endpointId: string,
): Promise<Endpoint | Refusal<"endpoint_not_found">> {
  const endpoint = isUlid(endpointId) ? await ports.endpoints.get(tenant, endpointId) : null;
  return endpoint && endpoint.status !== "deleted" ? endpoint : refuse("endpoint_not_found");
}
