import { SECRET_OVERLAP } from "../../domain/limits.ts";
import type { Endpoint } from "../../domain/webhooks/endpoints.ts";
import { isRefusal, type Refusal, refuse } from "../../kernel/refusals.ts";
import { auditEntry } from "../access/audit-entry.ts";
import { getLiveEndpoint } from "../delivery/live-endpoint.ts";
import type { EndpointRequest, WebhookPorts } from "./ports.ts";
import { mintSecret } from "./secrets.ts";

/** Rotates the signing secret, which is returned once. The previous secret signs beside it for one day. */
export async function rotateSecret(
  ports: Pick<WebhookPorts, "endpoints" | "vault">,
  { tenant, endpointId, actor, now }: EndpointRequest,
): Promise<{ endpoint: Endpoint; secret: string } | Refusal<"endpoint_not_found">> {
  const current = await getLiveEndpoint(ports, tenant, endpointId);
  if (isRefusal(current)) return current;
  const { secret, prefix, sealed } = await mintSecret(ports, tenant, endpointId);
  const rotated = await ports.endpoints.rotate(
    tenant,
    endpointId,
    { prefix, sealed, overlapUntil: now + SECRET_OVERLAP },
    auditEntry(actor, { action: "webhook.rotate", resource: `webhook:${endpointId}`, detail: {}, at: now }),
  );
  if (!rotated) return refuse("endpoint_not_found");
  const endpoint = await getLiveEndpoint(ports, tenant, endpointId);
  return isRefusal(endpoint) ? endpoint : { endpoint, secret };
}
