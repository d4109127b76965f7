import type { EventType } from "#base/events/events.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { isRefusal, type Refusal, refuse } from "#base/kernel/refusals.ts";
import { changeAuthor } from "#features/access/author.ts";
import { CLOSED } from "#features/delivery/rules/breaker.ts";
import type { WebhookPorts, WebhookRequest } from "../ports.ts";
import type { Endpoint } from "../rules/endpoints.ts";
import { mintSecret } from "./secrets.ts";
import { checkEndpointUrl } from "./target-url.ts";

/** Creates an endpoint whose URL passes the egress gate. The signing secret is returned once. */
export async function createWebhook(
  ports: Pick<WebhookPorts, "endpoints" | "vault" | "gate" | "dnsQuota">,
  request: WebhookRequest & { readonly url: string; readonly events: readonly EventType[] },
): Promise<
  | { endpoint: Endpoint; secret: string }
  | Refusal<"invalid_request" | "dns_lookup_limit" | "endpoint_limit" | "role_forbidden">
> {
  const { tenant, author, now } = request;
  const url = await checkEndpointUrl(ports, tenant, request.url, now);
  if (isRefusal(url)) return url;
  const id = newUlid(now);
  const { secret, prefix, sealed } = await mintSecret(ports, tenant, id);
  const endpoint: Endpoint = {
    id,
    url,
    events: [...new Set(request.events)],
    status: "active",
    secretPrefix: prefix,
    sealedSecret: sealed,
    secondary: null,
    pausedEvent: null,
    breaker: CLOSED,
    breakerOp: null,
    createdAt: now,
    updatedAt: now,
  };
  const detail = { events: endpoint.events.length };
  const change = { action: "webhook.create", resource: `webhook:${id}`, detail, at: now } as const;
  const result = await ports.endpoints.create(tenant, endpoint, changeAuthor(author, "admin", change));
  if (result === "actor_changed") return refuse("role_forbidden");
  return result === "created" ? { endpoint, secret } : refuse("endpoint_limit");
}
