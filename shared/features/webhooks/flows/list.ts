import type { TenantId } from "#base/kernel/tenant.ts";
import type { WebhookPorts } from "../ports.ts";
import type { Endpoint } from "../rules/endpoints.ts";

/** Lists a tenant's endpoints, oldest first, without the deleted ones. */
export async function listWebhooks(ports: Pick<WebhookPorts, "endpoints">, tenant: TenantId): Promise<Endpoint[]> {
  return (await ports.endpoints.list(tenant, { consistent: true })).filter((endpoint) => endpoint.status !== "deleted");
}
