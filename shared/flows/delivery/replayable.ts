import { RETENTION } from "../../domain/limits.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { DeliveryRow } from "../../stores/delivery/delivery-items.ts";
import type { ReplayPorts } from "./ports.ts";
import { loadRenderedEvents } from "./rendered-events.ts";

/** The deliveries whose event's body can still be had: not erased, and not older than 7 days. */
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
