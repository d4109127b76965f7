import { isUlid, newUlid } from "#base/kernel/ids.ts";
import { allDone } from "#base/kernel/parallel.ts";
import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import { currentTrace } from "#base/kernel/trace.ts";
import { authorName, changeAuthor } from "#features/access/author.ts";
import { deliveryId } from "#features/delivery/rules/deliveries.ts";
import { retryMessage, scheduleSafetyNet } from "#features/delivery/schedule.ts";
import { requestTestEventPush } from "#features/realtime/request-push.ts";
import { renderTestEvent } from "../events/test-event.ts";
import type { EndpointRequest, WebhookPorts } from "../ports.ts";

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
