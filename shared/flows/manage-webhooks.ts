import { actorOf, type Caller } from "../domain/api-keys.ts";
import { type Endpoint, formatSigningSecret, secretPrefix } from "../domain/endpoints.ts";
import type { EventType } from "../domain/events.ts";
import { ENDPOINTS_PER_TENANT_MAX } from "../domain/limits.ts";
import { randomToken } from "../kernel/bytes.ts";
import { isUlid, newUlid } from "../kernel/ids.ts";
import { type Refusal, refuse } from "../kernel/refusals.ts";
import type { TenantId } from "../kernel/tenant.ts";
import type { Millis } from "../kernel/time.ts";
import type { ApiPorts } from "./ports.ts";

const SIGNING_SECRET_BYTES = 32;

type WebhookPorts = Pick<ApiPorts, "endpoints" | "vault" | "gate">;

/** A new endpoint behind the gate. Its secret is answered this once. */
export async function createWebhook(
  ports: WebhookPorts,
  tenant: TenantId,
  request: { url: string; events: readonly EventType[]; caller: Caller; ip: string | null },
  now: Millis,
): Promise<{ endpoint: Endpoint; secret: string } | Refusal<"invalid_request" | "endpoint_limit">> {
  const checked = await ports.gate.checkAndResolve(request.url);
  if (!checked.ok) return refuse("invalid_request", checked.reason);
  const live = (await ports.endpoints.list(tenant)).filter((endpoint) => endpoint.status !== "deleted");
  if (live.length >= ENDPOINTS_PER_TENANT_MAX) return refuse("endpoint_limit");

  const id = newUlid(now);
  const secret = formatSigningSecret(randomToken(SIGNING_SECRET_BYTES));
  const endpoint: Endpoint = {
    id,
    url: checked.url.href,
    events: [...new Set(request.events)],
    status: "active",
    secretPrefix: secretPrefix(secret),
    sealedSecret: await ports.vault.seal(secret, { purpose: "webhook-secret", tenant, owner: id }),
    secondary: null,
    createdAt: now,
    updatedAt: now,
  };
  await ports.endpoints.create(tenant, endpoint, {
    action: "webhook.create",
    resource: `webhook:${id}`,
    actor: actorOf(request.caller),
    ip: request.ip,
    detail: { events: endpoint.events.length },
    at: now,
  });
  return { endpoint, secret };
}

/** The endpoints that are live, oldest first. */
export async function listWebhooks(ports: WebhookPorts, tenant: TenantId): Promise<Endpoint[]> {
  return (await ports.endpoints.list(tenant)).filter((endpoint) => endpoint.status !== "deleted");
}

export async function readWebhook(
  ports: WebhookPorts,
  tenant: TenantId,
  endpointId: string,
): Promise<Endpoint | Refusal<"endpoint_not_found">> {
  const endpoint = isUlid(endpointId) ? await ports.endpoints.get(tenant, endpointId) : null;
  return endpoint && endpoint.status !== "deleted" ? endpoint : refuse("endpoint_not_found");
}
