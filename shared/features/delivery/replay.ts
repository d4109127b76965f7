import { RETENTION } from "#base/kernel/limits.ts";
import { isRefusal, type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { currentTrace } from "#base/kernel/trace.ts";
import { type Author, changeAuthor } from "#features/access/rules/callers.ts";
import { findDelivery } from "./flows/get-delivery.ts";
import { getLiveEndpoint } from "./live-endpoint.ts";
import type { ReplayPorts } from "./ports.ts";
import { loadRenderedEvents } from "./rendered-events.ts";
import { type DeliveryStatus, mayReplay } from "./rules/deliveries.ts";
import { retryMessage, scheduleSafetyNet } from "./schedule.ts";
import type { DeliveryRow } from "./store/items.ts";

/**
 * Restarts one delivery with all its attempts. A delivered one requires `force`. `role_forbidden`: the person is no
 * longer an admin.
 */
export async function replayDelivery(
  ports: Omit<ReplayPorts, "audit">,
  tenant: TenantId,
  request: {
    readonly author: Author;
    readonly endpointId: string;
    readonly deliveryId: string;
    readonly force: boolean;
  },
  now: Millis,
): Promise<
  | { status: "pending" }
  | Refusal<"endpoint_not_found" | "delivery_not_found" | "replay_conflict" | "replay_expired" | "role_forbidden">
> {
  const { endpointId, force } = request;
  const endpoint = await getLiveEndpoint(ports, tenant, endpointId);
  if (isRefusal(endpoint)) return endpoint;
  const row = await findDelivery(ports, tenant, request);
  if (!row) return refuse("delivery_not_found");
  if (!mayReplay(row.status, force)) return replayConflict(row.status);
  if ((await deliveriesWithBody(ports, tenant, [row], now)).length === 0) return refuse("replay_expired");

  const author = changeAuthor(request.author, "admin", {
    action: "webhook.replay",
    resource: `webhook:${endpointId}`,
    detail: { delivery: request.deliveryId, force },
    at: now,
  });
  await scheduleSafetyNet(ports, tenant, row, now);
  const trigger = force ? "forced_replay" : "replay";
  const result = await ports.deliveries.reset(tenant, { ...row, ...currentTrace() }, { trigger, author, now });
  if (result === "actor_changed") return refuse("role_forbidden");
  // A concurrent request replayed it first.
  if (result === "not_allowed") return replayConflict("attempting");
  await ports.retries.send(retryMessage({ tenant, endpointId, eventUlid: row.eventUlid, attempt: 1, manual: true }));
  return { status: "pending" };
}

/** The deliveries whose event still has a body: it is not erased and not older than 7 days. */
export async function deliveriesWithBody(
  ports: Pick<ReplayPorts, "messages" | "eventBodies">,
  tenant: TenantId,
  rows: readonly DeliveryRow[],
  now: Millis,
): Promise<DeliveryRow[]> {
  const unexpired = rows.filter(({ createdAt }) => now < createdAt + RETENTION);
  const bodies = await loadRenderedEvents(ports, tenant, unexpired);
  return unexpired.filter(({ eventUlid }) => bodies.has(eventUlid));
}

function replayConflict(status: DeliveryStatus): Refusal<"replay_conflict"> {
  return refuse(
    "replay_conflict",
    status === "delivered"
      ? "The delivery succeeded. Add force=true to send it again."
      : "The delivery's attempts are not finished.",
  );
}
