import type { EventType } from "#base/events/events.ts";
import { randomToken } from "#base/kernel/bytes.ts";
import { isUlid, newUlid } from "#base/kernel/ids.ts";
import { SECRET_OVERLAP } from "#base/kernel/limits.ts";
import { allDone } from "#base/kernel/parallel.ts";
import { invalidField, isRefusal, type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { currentTrace } from "#base/kernel/trace.ts";
import { authorName, changeAuthor } from "#features/access/rules/callers.ts";
import { getLiveEndpoint } from "#features/delivery/live-endpoint.ts";
import { encodeEndpointTask } from "#features/delivery/queue.ts";
import { CLOSED } from "#features/delivery/rules/breaker.ts";
import { deliveryId } from "#features/delivery/rules/deliveries.ts";
import { retryMessage, scheduleSafetyNet, taskMessage } from "#features/delivery/schedule.ts";
import { requestTestEventPush } from "#features/realtime/request-push.ts";
import { journaled } from "#features/recovery/journal.ts";
import { renderTestEvent } from "./events/test-event.ts";
import type { EndpointRequest, WebhookPorts, WebhookRequest } from "./ports.ts";
import {
  type Endpoint,
  type EndpointChanges,
  effectiveChanges,
  formatSigningSecret,
  secretPrefix,
} from "./rules/endpoints.ts";
import type { EndpointChange } from "./store/endpoints.ts";

/** The URL as the egress gate normalizes it, if it may be called. DNS lookups have a limit per minute. */
export async function checkEndpointUrl(
  ports: Pick<WebhookPorts, "gate" | "dnsQuota">,
  tenant: TenantId,
  url: string,
  now: Millis,
): Promise<string | Refusal<"invalid_request" | "dns_lookup_limit">> {
  const syntaxCheck = ports.gate.checkUrl(url);
  if (!syntaxCheck.ok) return refuseUrl(syntaxCheck.reason);
  if (hasHostname(syntaxCheck.url)) {
    const retryAfter = await ports.dnsQuota.consume(tenant, now);
    if (retryAfter !== null) return refuse("dns_lookup_limit", undefined, retryAfter);
  }
  const dnsCheck = await ports.gate.checkAndResolve(url);
  return dnsCheck.ok ? dnsCheck.url.href : refuseUrl(dnsCheck.reason);
}

/** @param reason the gate's sentence, which becomes the end of one about the field */
function refuseUrl(reason: string): Refusal<"invalid_request"> {
  const clause = `${reason.charAt(0).toLowerCase()}${reason.slice(1).replace(/\.$/, "")}`;
  return invalidField("url", `is not allowed: ${clause}`, reason);
}

/** A parsed URL has every IP address as four numbers or in brackets. */
function hasHostname({ hostname }: URL): boolean {
  return !/^(\d+\.){3}\d+$|^\[/.test(hostname);
}

const SIGNING_SECRET_BYTES = 32;

/** Creates a signing secret: in clear for the response, its prefix for display, and sealed for storage. */
export async function mintSecret(
  ports: Pick<WebhookPorts, "vault">,
  tenant: TenantId,
  endpointId: string,
): Promise<{ secret: string; prefix: string; sealed: Uint8Array }> {
  const secret = formatSigningSecret(randomToken(SIGNING_SECRET_BYTES));
  const sealed = await ports.vault.seal(secret, { purpose: "webhook-secret", tenant, owner: endpointId });
  return { secret, prefix: secretPrefix(secret), sealed };
}

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
    pausedBy: null,
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

/** Lists a tenant's endpoints, oldest first, without the deleted ones. */
export async function listWebhooks(ports: Pick<WebhookPorts, "endpoints">, tenant: TenantId): Promise<Endpoint[]> {
  return (await ports.endpoints.list(tenant, { consistent: true })).filter((endpoint) => endpoint.status !== "deleted");
}

/**
 * Rotates the signing secret, which is returned once. The previous secret signs beside it for one day. `role_forbidden`:
 * the person is no longer an admin.
 */
export async function rotateSecret(
  ports: Pick<WebhookPorts, "endpoints" | "vault" | "journal">,
  { tenant, endpointId, author, now }: EndpointRequest,
): Promise<{ endpoint: Endpoint; secret: string } | Refusal<"endpoint_not_found" | "role_forbidden">> {
  const current = await getLiveEndpoint(ports, tenant, endpointId);
  if (isRefusal(current)) return current;
  const { secret, prefix, sealed } = await mintSecret(ports, tenant, endpointId);
  const change = { action: "webhook.rotate", resource: `webhook:${endpointId}`, detail: {}, at: now } as const;
  const write = () =>
    ports.endpoints.rotate(
      tenant,
      endpointId,
      { prefix, sealed, overlapUntil: now + SECRET_OVERLAP },
      changeAuthor(author, "admin", change),
    );
  const act = { kind: "webhook_secret.rotate", tenant, endpointId } as const;
  const result = await journaled(ports, { act, at: now }, write, isRefused);
  if (result === "actor_changed") return refuse("role_forbidden");
  if (result === "refused") return refuse("endpoint_not_found");
  const endpoint = await getLiveEndpoint(ports, tenant, endpointId);
  return isRefusal(endpoint) ? endpoint : { endpoint, secret };
}

/**
 * Updates the given fields of an endpoint. An update without an effective change writes nothing, not even an audit row.
 * When the circuit is open, a new URL or status triggers a probe at once. `role_forbidden`: the person is no longer an
 * admin.
 */
export async function updateWebhook(
  ports: Pick<WebhookPorts, "endpoints" | "gate" | "dnsQuota" | "retries" | "journal">,
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
  if (Object.keys(changes).length === 0) return endpoint;
  const result = await saveChanges(ports, { tenant, endpoint, changes, author, now });
  if (result === "actor_changed") return refuse("role_forbidden");
  if (result === "refused") return refuse("endpoint_not_found");
  const updatedEndpoint = await getLiveEndpoint(ports, tenant, endpointId);
  if (!isRefusal(updatedEndpoint) && (changes.url !== undefined || changes.status !== undefined)) {
    await probeNow(ports, tenant, updatedEndpoint);
  }
  return updatedEndpoint;
}

/**
 * Writes changes that were checked, and that differ from the endpoint. A new URL and a new status are in the journal first: a
 * restored table would send events to the URL that the tenant took away.
 */
export function saveChanges(
  ports: Pick<WebhookPorts, "endpoints" | "journal">,
  {
    tenant,
    endpoint: { id: endpointId, laterEvents },
    changes,
    author,
    now,
  }: WebhookRequest & { readonly endpoint: Endpoint; readonly changes: EndpointChanges },
): Promise<EndpointChange> {
  const { url, status } = changes;
  const detail = { fields: Object.keys(changes).sort().join(","), ...(status ? { status } : {}) };
  const change = { action: "webhook.update", resource: `webhook:${endpointId}`, detail, at: now } as const;
  const allChanges = laterEvents === undefined ? changes : { ...changes, laterEvents };
  const write = () => ports.endpoints.update(tenant, endpointId, allChanges, changeAuthor(author, "admin", change));
  if (url === undefined && status === undefined) return write();
  // A restore does not know the new URL, so it pauses the endpoint, with either status.
  const act =
    url === undefined
      ? ({ kind: status === "paused" ? "webhook.pause" : "webhook.resume", tenant, endpointId } as const)
      : ({ kind: "webhook_url.change", tenant, endpointId, url } as const);
  return journaled(ports, { act, at: now }, write, isRefused);
}

const isRefused = (outcome: EndpointChange) => outcome !== "changed";

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
  ports: Pick<WebhookPorts, "endpoints" | "journal">,
  { tenant, endpointId, author, now }: EndpointRequest,
): Promise<null | Refusal<"endpoint_not_found" | "role_forbidden">> {
  if (!isUlid(endpointId)) return refuse("endpoint_not_found");
  const change = { action: "webhook.delete", resource: `webhook:${endpointId}`, detail: {}, at: now } as const;
  const write = () => ports.endpoints.remove(tenant, endpointId, changeAuthor(author, "admin", change));
  const act = { kind: "webhook.delete", tenant, endpointId } as const;
  const result = await journaled(ports, { act, at: now }, write, isRefused);
  if (result === "actor_changed") return refuse("role_forbidden");
  return result === "changed" ? null : refuse("endpoint_not_found");
}

/**
 * Sends a test event to an endpoint, regardless of its subscriptions, and to the tenant's sockets. Returns the delivery id. `role_forbidden`: the
 * person is no longer an admin, and nothing is sent.
 */
export async function sendTestEvent(
  ports: Pick<WebhookPorts, "endpoints" | "eventBodies" | "deliveries" | "due" | "retries" | "realtime" | "log">,
  { tenant, endpointId, author, now }: EndpointRequest,
): Promise<{ deliveryId: string } | Refusal<"endpoint_not_found" | "role_forbidden">> {
  if (!isUlid(endpointId)) return refuse("endpoint_not_found");
  // The endpoints bring along whether the tenant has sockets.
  const { endpoints, socketsUntil } = await ports.endpoints.listWithSockets(tenant, { consistent: true });
  const endpoint = endpoints.find(({ id }) => id === endpointId);
  if (!endpoint || endpoint.status === "deleted") return refuse("endpoint_not_found");
  const eventUlid = newUlid(now);
  const id = deliveryId(eventUlid, endpointId);
  const delivery = { endpointId, eventUlid, eventType: "test.event", source: null, ...currentTrace() } as const;
  const changedBy = changeAuthor(author, "admin", {
    action: "webhook.test",
    resource: `webhook:${endpointId}`,
    detail: { delivery: id },
    at: now,
  });
  await ports.eventBodies.save(
    tenant,
    renderTestEvent(tenant, eventUlid, { endpointId, requestedBy: authorName(author) }),
  );
  await scheduleSafetyNet(ports, tenant, delivery, now);
  // What was written before it is never sent without the row, and expires.
  const result = await ports.deliveries.recordPending(tenant, delivery, changedBy, now);
  if (result === "actor_changed") return refuse("role_forbidden");
  await allDone([
    ports.retries.send(retryMessage({ tenant, endpointId, eventUlid, attempt: 1, manual: true })),
    requestTestEventPush(ports, { tenant, eventUlid, socketsUntil }, now),
  ]);
  return { deliveryId: id };
}
