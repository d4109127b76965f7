import { untroubled } from "../../domain/breaker.ts";
import type { Endpoint } from "../../domain/endpoints.ts";
import type { EventType } from "../../domain/events.ts";
import { ENDPOINTS_PER_TENANT_MAX } from "../../domain/limits.ts";
import { newUlid } from "../../kernel/ids.ts";
import { type Refusal, refuse } from "../../kernel/refusals.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { ApiPorts } from "../ports.ts";
import { type AskedBy, entryOf } from "./audit.ts";
import { listWebhooks } from "./read.ts";
import { mintSecret } from "./secrets.ts";

/** A new endpoint behind the gate. Its secret is answered this once. */
export async function createWebhook(
  ports: Pick<ApiPorts, "endpoints" | "vault" | "gate">,
  tenant: TenantId,
  request: { readonly url: string; readonly events: readonly EventType[] } & AskedBy,
  now: Millis,
): Promise<{ endpoint: Endpoint; secret: string } | Refusal<"invalid_request" | "endpoint_limit">> {
  const checked = await ports.gate.checkAndResolve(request.url);
  if (!checked.ok) return refuse("invalid_request", checked.reason);
  const live = await listWebhooks(ports, tenant);
  if (live.length >= ENDPOINTS_PER_TENANT_MAX) return refuse("endpoint_limit");

  const id = newUlid(now);
  const { secret, prefix, sealed } = await mintSecret(ports, tenant, id);
  const endpoint: Endpoint = {
    id,
    url: checked.url.href,
    events: [...new Set(request.events)],
    status: "active",
    secretPrefix: prefix,
    sealedSecret: sealed,
    secondary: null,
    pausedEvent: null,
    breaker: untroubled,
    breakerOp: null,
    createdAt: now,
    updatedAt: now,
  };
  const detail = { events: endpoint.events.length };
  await ports.endpoints.create(tenant, endpoint, entryOf("webhook.create", id, request, detail, now));
  return { endpoint, secret };
}
