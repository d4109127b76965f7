import { RETENTION } from "#base/kernel/limits.ts";
import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { ReplayPorts } from "../ports.ts";
import { loadRenderedEvent } from "../rendered-events.ts";
import { parseDeliveryId } from "../rules/deliveries.ts";
import type { DeliveryRow } from "../store/items.ts";

/** A delivery and its event. */
interface DeliveryDetail {
  readonly row: DeliveryRow;
  /** The JSON that each attempt sends; null when it is erased, unsent or past its retention. */
  readonly eventBody: string | null;
  /** The beginning of the newest attempt's response. It may quote the event, and is gone with it. */
  readonly response: string | null;
}

/** One delivery in detail, also of a deleted endpoint. */
export async function getDelivery(
  ports: Pick<ReplayPorts, "deliveries" | "messages" | "eventBodies">,
  tenant: TenantId,
  { endpointId, deliveryId, now }: { endpointId: string; deliveryId: string; now: Millis },
): Promise<DeliveryDetail | Refusal<"delivery_not_found">> {
  const row = await findDelivery(ports, tenant, { endpointId, deliveryId });
  if (!row) return refuse("delivery_not_found");
  const event = now < row.createdAt + RETENTION ? await loadRenderedEvent(ports, tenant, row) : null;
  return { row, eventBody: event?.body ?? null, response: event ? row.response : null };
}

/** An endpoint's delivery by its public id; null for one that is malformed, unknown, or of another endpoint. */
export async function findDelivery(
  { deliveries }: Pick<ReplayPorts, "deliveries">,
  tenant: TenantId,
  { endpointId, deliveryId }: { endpointId: string; deliveryId: string },
): Promise<DeliveryRow | null> {
  const key = parseDeliveryId(deliveryId);
  return key?.endpointId === endpointId ? deliveries.get(tenant, endpointId, key.eventUlid) : null;
}
