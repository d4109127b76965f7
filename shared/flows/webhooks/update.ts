import { type Endpoint, type EndpointChanges, realChanges } from "../../domain/webhooks/endpoints.ts";
import { isUlid } from "../../kernel/ids.ts";
import { isRefusal, type Refusal, refuse } from "../../kernel/refusals.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { type AskedBy, entryOf } from "../access/audit-entry.ts";
import { stepMessage, writeStep } from "../delivery/endpoint-tasks.ts";
import type { ApiPorts } from "../ports.ts";
import { readWebhook } from "./get.ts";
import { addressOf } from "./target-url.ts";

/**
 * Changes what is given of an endpoint. What would make no difference writes nothing and leaves no audit row. An endpoint
 * that is left alone, and now points elsewhere or is active again, is probed at once.
 */
export async function changeWebhook(
  ports: Pick<ApiPorts, "endpoints" | "gate" | "lookUps" | "retries">,
  tenant: TenantId,
  endpointId: string,
  wanted: EndpointChanges,
  by: AskedBy,
  now: Millis,
): Promise<Endpoint | Refusal<"endpoint_not_found" | "invalid_request" | "too_many_look_ups">> {
  const endpoint = await readWebhook(ports, tenant, endpointId);
  if (isRefusal(endpoint)) return endpoint;
  const url = wanted.url === undefined ? null : await addressOf(ports, tenant, wanted.url, now);
  if (isRefusal(url)) return url;

  const events = wanted.events && [...new Set(wanted.events)];
  const changes = realChanges(endpoint, { ...wanted, ...(url === null ? {} : { url }), ...(events ? { events } : {}) });
  const fields = Object.keys(changes).sort();
  if (fields.length === 0) return endpoint;
  const detail = { fields: fields.join(","), ...(changes.status ? { status: changes.status } : {}) };
  const audit = entryOf("webhook.update", endpointId, by, detail, now);
  const changed = await ports.endpoints.update(tenant, endpointId, changes, audit);
  if (!changed) return refuse("endpoint_not_found");
  const after = await readWebhook(ports, tenant, endpointId);
  if (!isRefusal(after) && (changes.url !== undefined || changes.status !== undefined)) {
    await probeNow(ports, tenant, after);
  }
  return after;
}

async function probeNow(ports: Pick<ApiPorts, "retries">, tenant: TenantId, endpoint: Endpoint): Promise<void> {
  const { openUntil: probe } = endpoint.breaker;
  if (probe === null) return;
  const step = { tenant, endpointId: endpoint.id, step: "probe", probe, after: null } as const;
  await ports.retries.send(stepMessage(step, writeStep(step), 0));
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
