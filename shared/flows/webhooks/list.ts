import type { Endpoint } from "../../domain/webhooks/endpoints.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { WebhookPorts } from "./ports.ts";

/** The endpoints that are not deleted, oldest first. */
export async function listWebhooks(ports: Pick<WebhookPorts, "endpoints">, tenant: TenantId): Promise<Endpoint[]> {
  return (await ports.endpoints.list(tenant, { consistent: true })).filter((endpoint) => endpoint.status !== "deleted");
}
