import type { Endpoint } from "../../domain/webhooks/endpoints.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { WebhookPorts } from "./ports.ts";

/** Lists a tenant's endpoints, oldest first, without the deleted ones. */
export async function listWebhooks(ports: Pick<WebhookPorts, "endpoints">, tenant: TenantId): Promise<Endpoint[]> {
  return (await ports.endpoints.list(tenant, { consistent: true })).filter((endpoint) => endpoint.status !== "deleted");
}
