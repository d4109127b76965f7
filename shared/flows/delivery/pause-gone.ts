import { type AttemptOutcome, isGone } from "../../domain/delivery/deliveries.ts";
import { deriveUlid } from "../../kernel/ids.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { DeliveryRow } from "../../stores/delivery/delivery-items.ts";
import { goneMail, type MailPorts, mailOwner } from "./mails.ts";
import { type AutoPause, type PausePorts, pauseEndpoint, publishEndpointPaused } from "./pause.ts";

type GonePorts = PausePorts & MailPorts;

interface DeliveryKey {
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
  delivery: DeliveryKey,
  url: string,
  outcome: AttemptOutcome | null,
  settledAt: Millis,
): Promise<void> {
  if (outcome?.kind !== "answered" || !isGone("failed", outcome.status)) return;
  const autoPause = toAutoPause(tenant, delivery, settledAt);
  if (await pauseEndpoint(ports, tenant, autoPause, { url }, settledAt))
    await notifyPaused(ports, tenant, autoPause, url, false);
}

/** The same once more, for a row that was written by a process that may have died before it paused or told. */
export async function resumePauseWhenGone(ports: GonePorts, tenant: TenantId, row: DeliveryRow): Promise<void> {
  if (!isGone(row.status, row.lastResponseStatus)) return;
  const endpoint = await ports.endpoints.get(tenant, row.endpointId);
  if (!endpoint) return;
  const autoPause = toAutoPause(tenant, row, row.updatedAt);
  const { url } = endpoint;
  if (endpoint.pausedEvent === autoPause.eventUlid) return notifyPaused(ports, tenant, autoPause, url, true);
  // Whoever changed the endpoint since then knew better.
  if (endpoint.status !== "active" || endpoint.updatedAt > row.updatedAt) return;
  if (await pauseEndpoint(ports, tenant, autoPause, { url }, row.updatedAt)) {
    await notifyPaused(ports, tenant, autoPause, url, false);
  }
}

async function notifyPaused(
  ports: GonePorts,
  tenant: TenantId,
  autoPause: AutoPause,
  url: string,
  repeated: boolean,
): Promise<void> {
  await publishEndpointPaused(ports, tenant, autoPause, repeated);
  await mailOwner(ports, tenant, goneMail(tenant, { id: autoPause.endpointId, url }));
}

/** The event follows from the delivery that was answered, so that telling it again tells the same. */
function toAutoPause(tenant: TenantId, { endpointId, eventUlid }: DeliveryKey, settledAt: Millis): AutoPause {
  const seed = `${tenant}\n${endpointId}\n${eventUlid}\nwebhook.paused`;
  return { endpointId, reason: "gone", eventUlid: deriveUlid(settledAt, seed) };
}
