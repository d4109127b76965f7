import { type Endpoint, type EndpointChanges, realChanges } from "../../domain/endpoints.ts";
import { isUlid } from "../../kernel/ids.ts";
import { isRefusal, type Refusal, refuse } from "../../kernel/refusals.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { ApiPorts } from "../ports.ts";
import { type AskedBy, entryOf } from "./audit.ts";
import { readWebhook } from "./read.ts";

/** Changes what is given of an endpoint. What would make no difference writes nothing and leaves no audit row. */
export async function changeWebhook(
  ports: Pick<ApiPorts, "endpoints" | "gate">,
  tenant: TenantId,
  endpointId: string,
  wanted: EndpointChanges,
  by: AskedBy,
  now: Millis,
): Promise<Endpoint | Refusal<"endpoint_not_found" | "invalid_request">> {
  const endpoint = await readWebhook(ports, tenant, endpointId);
  if (isRefusal(endpoint)) return endpoint;
  const url = wanted.url === undefined ? null : await passing(ports, wanted.url);
  if (isRefusal(url)) return url;

  const events = wanted.events && [...new Set(wanted.events)];
  const changes = realChanges(endpoint, { ...wanted, ...(url === null ? {} : { url }), ...(events ? { events } : {}) });
  const fields = Object.keys(changes).sort();
  if (fields.length === 0) return endpoint;
  const detail = { fields: fields.join(","), ...(changes.status ? { status: changes.status } : {}) };
  const audit = entryOf("webhook.update", endpointId, by, detail, now);
  const changed = await ports.endpoints.update(tenant, endpointId, changes, audit);
  return changed ? readWebhook(ports, tenant, endpointId) : refuse("endpoint_not_found");
}

async function passing(ports: Pick<ApiPorts, "gate">, url: string): Promise<string | Refusal<"invalid_request">> {
  const checked = await ports.gate.checkAndResolve(url);
  return checked.ok ? checked.url.href : refuse("invalid_request", checked.reason);
}

/** Deletes an endpoint for good: its secrets are erased, its id and the history of its deliveries stay. */
export async function deleteWebhook(
  ports: Pick<ApiPorts, "endpoints">,
  tenant: TenantId,
  endpointId: string,
  by: AskedBy,
  now: Millis,
): Promise<null | Refusal<"endpoint_not_found">> {
  if (!isUlid(endpointId)) return refuse("endpoint_not_found");
  const deleted = await ports.endpoints.remove(tenant, endpointId, entryOf("webhook.delete", endpointId, by, {}, now));
  return deleted ? null : refuse("endpoint_not_found");
}
