import { type AttemptOutcome, saidGone } from "../../domain/delivery/deliveries.ts";
import { ulidOf } from "../../kernel/ids.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { DeliveryRow } from "../../stores/delivery/delivery-items.ts";
import { goneMailOf, type MailPorts, mailOwner } from "./mails.ts";
import { type PausePorts, type Pausing, pauseEndpoint, tellPaused } from "./pause.ts";

type GonePorts = PausePorts & MailPorts;

interface Delivery {
  readonly endpointId: string;
  readonly eventUlid: string;
}

/**
 * A receiver that answered 410 wants nothing more: its endpoint is paused, and the tenant's other endpoints and owner
 * are told.
 * Of several deliveries that were answered so, the first one pauses and tells.
 * @param url what was called: an endpoint that points elsewhere by now is left alone
 * @param settledAt when the delivery's row was written
 */
export async function pauseWhenGone(
  ports: GonePorts,
  tenant: TenantId,
  delivery: Delivery,
  url: string,
  outcome: AttemptOutcome | null,
  settledAt: Millis,
): Promise<void> {
  if (outcome?.kind !== "answered" || !saidGone("failed", outcome.status)) return;
  const pausing = pausingOf(tenant, delivery, settledAt);
  if (await pauseEndpoint(ports, tenant, pausing, { url }, settledAt)) await tell(ports, tenant, pausing, url, false);
}

/** The same once more, for a row that was written by a process that may have died before it paused or told. */
export async function pauseWhenGoneAgain(ports: GonePorts, tenant: TenantId, row: DeliveryRow): Promise<void> {
  if (!saidGone(row.status, row.lastResponseStatus)) return;
  const endpoint = await ports.endpoints.get(tenant, row.endpointId);
  if (!endpoint) return;
  const pausing = pausingOf(tenant, row, row.updatedAt);
  const { url } = endpoint;
  if (endpoint.pausedEvent === pausing.eventUlid) return tell(ports, tenant, pausing, url, true);
  // Whoever changed the endpoint since then knew better.
  if (endpoint.status !== "active" || endpoint.updatedAt > row.updatedAt) return;
  if (await pauseEndpoint(ports, tenant, pausing, { url }, row.updatedAt)) {
    await tell(ports, tenant, pausing, url, false);
  }
}

async function tell(
  ports: GonePorts,
  tenant: TenantId,
  pausing: Pausing,
  url: string,
  repeated: boolean,
): Promise<void> {
  await tellPaused(ports, tenant, pausing, repeated);
  await mailOwner(ports, tenant, goneMailOf(tenant, { id: pausing.endpointId, url }));
}

/** The event follows from the delivery that was answered, so that telling it again tells the same. */
function pausingOf(tenant: TenantId, { endpointId, eventUlid }: Delivery, settledAt: Millis): Pausing {
  const seed = `${tenant}\n${endpointId}\n${eventUlid}\nwebhook.paused`;
  return { endpointId, reason: "gone", eventUlid: ulidOf(settledAt, seed) };
}
