import type { AttemptOutcome } from "../../domain/delivery/deliveries.ts";
import { deliveryId } from "../../domain/delivery/deliveries.ts";
import { sign } from "../../domain/delivery/signatures.ts";
import { eventId, type RenderedEvent } from "../../domain/events/events.ts";
import type { Endpoint } from "../../domain/webhooks/endpoints.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { DeliverPorts } from "../ports.ts";

/**
 * One POST of an event to one endpoint, signed now with every secret that is valid now. An endpoint's attempts wait for
 * no connection of another endpoint, also where they share a host.
 * @param onSlow called once when the attempt takes so long that its endpoint is slow
 */
export async function makeAttempt(
  ports: Pick<DeliverPorts, "vault" | "poster">,
  tenant: TenantId,
  endpoint: Endpoint,
  event: RenderedEvent,
  now: Millis,
  onSlow?: () => void,
): Promise<AttemptOutcome> {
  const secrets = await secretsOf(ports, tenant, endpoint, now);
  const id = eventId(event.ulid);
  const headers = {
    ...sign(secrets, id, event.body, now),
    "svc-event-id": id,
    "svc-event-type": event.type,
    "svc-delivery-id": deliveryId(event.ulid, endpoint.id),
  };
  return ports.poster.post({ url: endpoint.url, lane: endpoint.id, headers, body: event.body }, onSlow);
}

async function secretsOf(
  ports: Pick<DeliverPorts, "vault">,
  tenant: TenantId,
  endpoint: Endpoint,
  now: Millis,
): Promise<string[]> {
  const to = { purpose: "webhook-secret", tenant, owner: endpoint.id } as const;
  const sealed = [
    endpoint.sealedSecret,
    endpoint.secondary && endpoint.secondary.expiresAt > now ? endpoint.secondary.sealedSecret : null,
  ].filter((secret) => secret !== null);
  if (sealed.length === 0) throw new Error("The endpoint has no signing secret.");
  return Promise.all(sealed.map((secret) => ports.vault.open(secret, to)));
}
