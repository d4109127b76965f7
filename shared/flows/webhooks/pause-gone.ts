import { type AttemptOutcome, saidGone } from "../../domain/deliveries.ts";
import { renderEvent } from "../../domain/events.ts";
import { ulidOf } from "../../kernel/ids.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { DeliveryRow } from "../../table/delivery-items.ts";
import type { DeliverPorts } from "../ports.ts";
import { writeEvent } from "../queue-messages.ts";

type PausePorts = Pick<DeliverPorts, "endpoints" | "eventBodies" | "events">;

interface Delivery {
  readonly endpointId: string;
  readonly eventUlid: string;
}

/**
 * A receiver that answered 410 wants nothing more: its endpoint is paused, and the tenant's other endpoints are told.
 * Of several deliveries that were answered so, the first one pauses and tells.
 * @param url what was called: an endpoint that points elsewhere by now is left alone
 * @param settledAt when the delivery's row was written
 */
export async function pauseWhenGone(
  ports: PausePorts,
  tenant: TenantId,
  delivery: Delivery,
  url: string,
  outcome: AttemptOutcome | null,
  settledAt: Millis,
): Promise<void> {
  if (outcome?.kind !== "answered" || !saidGone("failed", outcome.status)) return;
  if (await pause(ports, tenant, delivery, url, settledAt)) await tell(ports, tenant, delivery, settledAt, false);
}

/** The same once more, for a row that was written by a process that may have died before it paused or told. */
export async function pauseWhenGoneAgain(ports: PausePorts, tenant: TenantId, row: DeliveryRow): Promise<void> {
  if (!saidGone(row.status, row.lastResponseStatus)) return;
  const endpoint = await ports.endpoints.get(tenant, row.endpointId);
  if (!endpoint) return;
  if (endpoint.pausedEvent === pausedEventOf(tenant, row, row.updatedAt)) {
    return tell(ports, tenant, row, row.updatedAt, true);
  }
  // Whoever changed the endpoint since then knew better.
  if (endpoint.status !== "active" || endpoint.updatedAt > row.updatedAt) return;
  if (await pause(ports, tenant, row, endpoint.url, row.updatedAt))
    await tell(ports, tenant, row, row.updatedAt, false);
}

/** The event follows from the delivery that was answered, so that telling it again tells the same. */
function pausedEventOf(tenant: TenantId, { endpointId, eventUlid }: Delivery, settledAt: Millis): string {
  return ulidOf(settledAt, `${tenant}\n${endpointId}\n${eventUlid}\nwebhook.paused`);
}

function pause(
  ports: PausePorts,
  tenant: TenantId,
  delivery: Delivery,
  url: string,
  settledAt: Millis,
): Promise<boolean> {
  const { endpointId } = delivery;
  const audit = {
    action: "webhook.auto_pause",
    resource: `webhook:${endpointId}`,
    actor: "system",
    ip: null,
    detail: { reason: "gone" },
    at: settledAt,
  } as const;
  const pausedEvent = pausedEventOf(tenant, delivery, settledAt);
  return ports.endpoints.pauseAt(tenant, endpointId, { url, pausedEvent }, audit);
}

async function tell(
  ports: PausePorts,
  tenant: TenantId,
  delivery: Delivery,
  settledAt: Millis,
  repeated: boolean,
): Promise<void> {
  const { endpointId } = delivery;
  const eventUlid = pausedEventOf(tenant, delivery, settledAt);
  const told = { endpoint_id: endpointId, reason: "gone" };
  await ports.eventBodies.keep(tenant, renderEvent(tenant, eventUlid, "webhook.paused", told));
  const event = { tenant, eventUlid, type: "webhook.paused", source: null, repeated, except: endpointId } as const;
  await ports.events.send({ body: writeEvent(event), group: tenant });
}
