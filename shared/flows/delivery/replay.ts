import { type DeliveryStatus, mayReplay, parseDeliveryId } from "../../domain/delivery/deliveries.ts";
import { isRefusal, type Refusal, refuse } from "../../kernel/refusals.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { DeliveryRow } from "../../stores/delivery/delivery-items.ts";
import { type Actor, auditEntry } from "../access/audit-entry.ts";
import { getLiveEndpoint } from "./live-endpoint.ts";
import type { ReplayPorts } from "./ports.ts";
import { deliveriesWithBody } from "./replayable.ts";
import { retryMessage, scheduleSafetyNet } from "./schedule.ts";

/** Lets one delivery begin anew, with all its attempts. One that came through is sent again by force alone. */
export async function replayDelivery(
  ports: Omit<ReplayPorts, "audit">,
  tenant: TenantId,
  request: { readonly endpointId: string; readonly deliveryId: string; readonly force: boolean } & Actor,
  now: Millis,
): Promise<
  { status: "pending" } | Refusal<"endpoint_not_found" | "delivery_not_found" | "replay_conflict" | "replay_expired">
> {
  const { endpointId, force } = request;
  const endpoint = await getLiveEndpoint(ports, tenant, endpointId);
  if (isRefusal(endpoint)) return endpoint;
  const row = await findDelivery(ports, tenant, endpointId, request.deliveryId);
  if (!row) return refuse("delivery_not_found");
  if (!mayReplay(row.status, force)) return replayConflict(row.status);
  if ((await deliveriesWithBody(ports, tenant, [row], now)).length === 0) return refuse("replay_expired");

  const audit = auditEntry("webhook.replay", endpointId, request, { delivery: request.deliveryId, force }, now);
  await scheduleSafetyNet(ports, tenant, row, now);
  const reset = await ports.deliveries.reset(tenant, row, force ? "forced_replay" : "replay", audit, now);
  // Someone else replayed it meanwhile.
  if (!reset) return replayConflict("attempting");
  await ports.retries.send(retryMessage({ tenant, endpointId, eventUlid: row.eventUlid, attempt: 1, manual: true }));
  return { status: "pending" };
}

async function findDelivery(
  ports: Pick<ReplayPorts, "deliveries">,
  tenant: TenantId,
  endpointId: string,
  id: string,
): Promise<DeliveryRow | null> {
  const key = parseDeliveryId(id);
  return key?.endpointId === endpointId ? ports.deliveries.get(tenant, endpointId, key.eventUlid) : null;
}

function replayConflict(status: DeliveryStatus): Refusal<"replay_conflict"> {
  return refuse(
    "replay_conflict",
    status === "delivered" ? "it was delivered: add force=true to send it again" : "its attempts are still under way",
  );
}
