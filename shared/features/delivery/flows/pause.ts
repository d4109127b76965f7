import type { AttemptOutcome } from "#base/kernel/attempt-outcome.ts";
import { deriveUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type NoticePorts, queueNotice } from "#features/access/mails.ts";
import { auditEntry, SYSTEM } from "#features/access/rules/callers.ts";
import { renderWebhookPaused } from "#features/webhooks/events/webhook-paused.ts";
import { encodeEvent } from "../event-queue.ts";
import type { DeliverPorts } from "../ports.ts";
import { isGone } from "../rules/deliveries.ts";
import type { DeliveryRow } from "../store/items.ts";

export type PausePorts = {
  readonly endpoints: Pick<DeliverPorts["endpoints"], "get" | "pause">;
} & Pick<DeliverPorts, "eventBodies" | "events">;

type GonePorts = PausePorts & NoticePorts;

/** Why the service pauses an endpoint: the receiver answered 410, or every attempt failed for days. */
export type PauseReason = "gone" | "failing";

/** A pause by the service. */
export interface AutoPause {
  readonly tenant: TenantId;
  readonly endpointId: string;
  readonly reason: PauseReason;
  /** The ULID of the event that reports it. */
  readonly eventUlid: string;
}

interface DeliveryKey {
  readonly endpointId: string;
  readonly eventUlid: string;
}

/**
 * Pauses an endpoint and writes an audit row.
 * @param url the URL that was called
 * @returns false when the endpoint was paused already, has another URL, or has succeeded since `failingSince`
 */
export function pauseEndpoint(
  ports: PausePorts,
  { tenant, endpointId, reason, eventUlid: pausedEvent }: AutoPause,
  { url, failingSince }: { url: string; failingSince?: Millis },
  at: Millis,
): Promise<boolean> {
  const resource = `webhook:${endpointId}`;
  const audit = auditEntry(SYSTEM, { action: "webhook.auto_pause", resource, detail: { reason }, at });
  const condition = failingSince === undefined ? { url, pausedEvent } : { url, pausedEvent, failingSince };
  return ports.endpoints.pause(tenant, endpointId, condition, audit);
}

/** Publishes `webhook.paused` to the tenant's other endpoints. A repeated call publishes the same event. */
export async function publishEndpointPaused(
  ports: Pick<PausePorts, "eventBodies" | "events">,
  { tenant, endpointId, reason, eventUlid }: AutoPause,
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

/** A delivery's recorded attempt. */
interface SettledAttempt {
  readonly tenant: TenantId;
  readonly delivery: DeliveryKey;
  /** The URL that was called: an endpoint that has another URL now is not paused. */
  readonly url: string;
  /** Null when no call was made. */
  readonly outcome: AttemptOutcome | null;
  /** When the delivery's row was written. */
  readonly settledAt: Millis;
}

/**
 * Pauses an endpoint whose receiver answered 410, and notifies the tenant's other endpoints and its owners. Of several
 * deliveries that got a 410, the first one does so.
 */
export async function pauseWhenGone(
  ports: GonePorts,
  { tenant, delivery, url, outcome, settledAt }: SettledAttempt,
): Promise<void> {
  if (outcome?.kind !== "answered" || !isGone("failed", outcome.status)) return;
  const autoPause = goneAutoPause(tenant, delivery, settledAt);
  if (await pauseEndpoint(ports, autoPause, { url }, settledAt)) {
    await notifyGone(ports, autoPause, false);
  }
}

/** Completes `pauseWhenGone` for a row whose writer may have died before it paused the endpoint or notified anyone. */
export async function resumePauseWhenGone(ports: GonePorts, tenant: TenantId, row: DeliveryRow): Promise<void> {
  if (!isGone(row.status, row.lastResponseStatus)) return;
  const endpoint = await ports.endpoints.get(tenant, row.endpointId);
  if (!endpoint) return;
  const autoPause = goneAutoPause(tenant, row, row.updatedAt);
  const { url } = endpoint;
  if (endpoint.pausedEvent === autoPause.eventUlid) return notifyGone(ports, autoPause, true);
  // A change of the endpoint after the 410 overrides it.
  if (endpoint.status !== "active" || endpoint.updatedAt > row.updatedAt) return;
  if (await pauseEndpoint(ports, autoPause, { url }, row.updatedAt)) {
    await notifyGone(ports, autoPause, false);
  }
}

async function notifyGone(ports: GonePorts, autoPause: AutoPause, repeated: boolean): Promise<void> {
  await publishEndpointPaused(ports, autoPause, repeated);
  const { tenant } = autoPause;
  const { endpointId } = autoPause;
  await queueNotice(ports, tenant, { kind: "endpoint_notice", what: "gone", endpointId, since: null });
}

/** The event's ULID follows from the delivery that got the 410, so that a repetition publishes the same event. */
function goneAutoPause(tenant: TenantId, { endpointId, eventUlid }: DeliveryKey, settledAt: Millis): AutoPause {
  const seed = `${tenant}\n${endpointId}\n${eventUlid}\nwebhook.paused`;
  return { tenant, endpointId, reason: "gone", eventUlid: deriveUlid(settledAt, seed) };
}
