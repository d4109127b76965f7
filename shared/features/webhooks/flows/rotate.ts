import { SECRET_OVERLAP } from "#base/kernel/limits.ts";
import { isRefusal, type Refusal, refuse } from "#base/kernel/refusals.ts";
import { changeAuthor } from "#features/access/author.ts";
import { getLiveEndpoint } from "#features/delivery/live-endpoint.ts";
import type { EndpointRequest, WebhookPorts } from "../ports.ts";
import type { Endpoint } from "../rules/endpoints.ts";
import { mintSecret } from "./secrets.ts";

/**
 * Rotates the signing secret, which is returned once. The previous secret signs beside it for one day. `role_forbidden`:
 * the person is no longer an admin.
 */
export async function rotateSecret(
  ports: Pick<WebhookPorts, "endpoints" | "vault">,
  { tenant, endpointId, author, now }: EndpointRequest,
): Promise<{ endpoint: Endpoint; secret: string } | Refusal<"endpoint_not_found" | "role_forbidden">> {
  const current = await getLiveEndpoint(ports, tenant, endpointId);
  if (isRefusal(current)) return current;
  const { secret, prefix, sealed } = await mintSecret(ports, tenant, endpointId);
  const change = { action: "webhook.rotate", resource: `webhook:${endpointId}`, detail: {}, at: now } as const;
  const result = await ports.endpoints.rotate(
    tenant,
    endpointId,
    { prefix, sealed, overlapUntil: now + SECRET_OVERLAP },
    changeAuthor(author, "admin", change),
  );
  if (result === "actor_changed") return refuse("role_forbidden");
  if (result === "refused") return refuse("endpoint_not_found");
  const endpoint = await getLiveEndpoint(ports, tenant, endpointId);
  return isRefusal(endpoint) ? endpoint : { endpoint, secret };
}
