import { renderWebhookPaused } from "../../events/webhook-paused.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { encodeEvent } from "../../queues/events.ts";
import type { DeliverPorts } from "./ports.ts";

export type PausePorts = {
  readonly endpoints: Pick<DeliverPorts["endpoints"], "get" | "pause">;
} & Pick<DeliverPorts, "eventBodies" | "events">;

/** Why the service pauses an endpoint: its receiver said that it is gone, or every attempt failed for days. */
export type PauseReason = "gone" | "failing";

/** One pausing of an endpoint by the service. */
export interface AutoPause {
  readonly endpointId: string;
  readonly reason: PauseReason;
  /** The ULID of the event that tells of it. */
  readonly eventUlid: string;
}

/**
 * Pauses an endpoint, with an audit row.
 * @param url what was called: an endpoint that points elsewhere by now is left alone
 * @returns false when it was paused or pointed elsewhere meanwhile, or has worked since `failingSince`
 */
export function pauseEndpoint(
  ports: PausePorts,
  tenant: TenantId,
  { endpointId, reason, eventUlid: pausedEvent }: AutoPause,
  { url, failingSince }: { url: string; failingSince?: Millis },
  at: Millis,
): Promise<boolean> {
  const audit = {
    action: "webhook.auto_pause",
    resource: `webhook:${endpointId}`,
    actor: "system",
    ip: null,
    detail: { reason },
    at,
  } as const;
  const condition = failingSince === undefined ? { url, pausedEvent } : { url, pausedEvent, failingSince };
  return ports.endpoints.pause(tenant, endpointId, condition, audit);
}

/** Tells the tenant's other endpoints. Told again, it is the same event. */
export async function publishEndpointPaused(
  ports: Pick<PausePorts, "eventBodies" | "events">,
  tenant: TenantId,
  { endpointId, reason, eventUlid }: AutoPause,
  repeated: boolean,
): Promise<void> {
  await ports.eventBodies.save(tenant, renderWebhookPaused(tenant, eventUlid, { endpointId, reason }));
  const event = {
    tenant,
    eventUlid,
    type: "webhook.paused",
    source: null,
    repeated,
    excludedEndpointId: endpointId,
  } as const;
  await ports.events.send({ body: encodeEvent(event), group: tenant });
}
