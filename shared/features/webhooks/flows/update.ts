import { isUlid } from "#base/kernel/ids.ts";
import { isRefusal, type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { changeAuthor } from "#features/access/author.ts";
import { getLiveEndpoint } from "#features/delivery/live-endpoint.ts";
import { encodeEndpointTask } from "#features/delivery/queue.ts";
import { taskMessage } from "#features/delivery/schedule.ts";
import type { EndpointRequest, WebhookPorts } from "../ports.ts";
import { type Endpoint, type EndpointChanges, effectiveChanges } from "../rules/endpoints.ts";
import { checkEndpointUrl } from "./target-url.ts";

/**
 * Updates the given fields of an endpoint. An update without an effective change writes nothing, not even an audit row.
 * When the circuit is open, a new URL or status triggers a probe at once. `role_forbidden`: the person is no longer an
 * admin.
 */
export async function updateWebhook(
  ports: Pick<WebhookPorts, "endpoints" | "gate" | "dnsQuota" | "retries">,
  { tenant, endpointId, changes: requestedChanges, author, now }: EndpointRequest & { changes: EndpointChanges },
): Promise<Endpoint | Refusal<"endpoint_not_found" | "invalid_request" | "dns_lookup_limit" | "role_forbidden">> {
  const endpoint = await getLiveEndpoint(ports, tenant, endpointId);
  if (isRefusal(endpoint)) return endpoint;
  const url =
    requestedChanges.url === undefined ? null : await checkEndpointUrl(ports, tenant, requestedChanges.url, now);
  if (isRefusal(url)) return url;

  const events = requestedChanges.events && [...new Set(requestedChanges.events)];
  const changes = effectiveChanges(endpoint, {
    ...requestedChanges,
    ...(url === null ? {} : { url }),
    ...(events ? { events } : {}),
  });
  const fields = Object.keys(changes).sort();
  if (fields.length === 0) return endpoint;
  const detail = { fields: fields.join(","), ...(changes.status ? { status: changes.status } : {}) };
  const change = { action: "webhook.update", resource: `webhook:${endpointId}`, detail, at: now } as const;
  const result = await ports.endpoints.update(tenant, endpointId, changes, changeAuthor(author, "admin", change));
  if (result === "actor_changed") return refuse("role_forbidden");
  if (result === "refused") return refuse("endpoint_not_found");
  const updatedEndpoint = await getLiveEndpoint(ports, tenant, endpointId);
  if (!isRefusal(updatedEndpoint) && (changes.url !== undefined || changes.status !== undefined)) {
    await probeNow(ports, tenant, updatedEndpoint);
  }
  return updatedEndpoint;
}

async function probeNow(ports: Pick<WebhookPorts, "retries">, tenant: TenantId, endpoint: Endpoint): Promise<void> {
  const { openUntil: probe } = endpoint.breaker;
  if (probe === null) return;
  const task = { tenant, endpointId: endpoint.id, kind: "probe", probe, after: null } as const;
  await ports.retries.send(taskMessage(task, encodeEndpointTask(task)));
}

/**
 * Deletes an endpoint and its secrets. Its id and the history of its deliveries remain. `role_forbidden`: the person is
 * no longer an admin.
 */
export async function deleteWebhook(
  ports: Pick<WebhookPorts, "endpoints">,
  { tenant, endpointId, author, now }: EndpointRequest,
): Promise<null | Refusal<"endpoint_not_found" | "role_forbidden">> {
  if (!isUlid(endpointId)) return refuse("endpoint_not_found");
  const change = { action: "webhook.delete", resource: `webhook:${endpointId}`, detail: {}, at: now } as const;
  const result = await ports.endpoints.remove(tenant, endpointId, changeAuthor(author, "admin", change));
  if (result === "actor_changed") return refuse("role_forbidden");
  return result === "changed" ? null : refuse("endpoint_not_found");
}
