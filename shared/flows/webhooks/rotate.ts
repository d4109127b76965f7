import { SECRET_OVERLAP } from "../../domain/limits.ts";
import type { Endpoint } from "../../domain/webhooks/endpoints.ts";
import { isRefusal, type Refusal, refuse } from "../../kernel/refusals.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { type AskedBy, entryOf } from "../access/audit-entry.ts";
import type { ApiPorts } from "../ports.ts";
import { readWebhook } from "./get.ts";
import { mintSecret } from "./secrets.ts";

/** A new secret, answered this once. The one before still signs for a day, beside it; an older one no more. */
export async function rotateSecret(
  ports: Pick<ApiPorts, "endpoints" | "vault">,
  tenant: TenantId,
  endpointId: string,
  by: AskedBy,
  now: Millis,
): Promise<{ endpoint: Endpoint; secret: string } | Refusal<"endpoint_not_found">> {
  const before = await readWebhook(ports, tenant, endpointId);
  if (isRefusal(before)) return before;
  const { secret, prefix, sealed } = await mintSecret(ports, tenant, endpointId);
  const rotated = await ports.endpoints.rotate(
    tenant,
    endpointId,
    { prefix, sealed, overlapUntil: now + SECRET_OVERLAP },
    entryOf("webhook.rotate", endpointId, by, {}, now),
  );
  if (!rotated) return refuse("endpoint_not_found");
  const endpoint = await readWebhook(ports, tenant, endpointId);
  return isRefusal(endpoint) ? endpoint : { endpoint, secret };
}
