import type { AttemptOutcome } from "../../domain/delivery/deliveries.ts";
import { deliveryId } from "../../domain/delivery/deliveries.ts";
import { signWebhook } from "../../domain/delivery/signatures.ts";
import { eventId, type RenderedEvent } from "../../domain/events/events.ts";
import type { Endpoint } from "../../domain/webhooks/endpoints.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { DeliverPorts } from "./ports.ts";

/**
 * One POST of an event to one endpoint, signed now with every secret that is valid now. An endpoint's attempts wait for
 * no connection of another endpoint, also where they share a host.
 * @param onSlow called once when the attempt takes so long that its endpoint is slow
 */
export async function makeAttempt(
  ports: Pick<DeliverPorts, "vault" | "webhookClient">,
  tenant: TenantId,
  endpoint: Endpoint,
  event: RenderedEvent,
  now: Millis,
  onSlow?: () => void,
): Promise<AttemptOutcome> {
  const secrets = await signingSecrets(ports, tenant, endpoint, now);
  const id = eventId(event.ulid);
  const headers = {
    ...signWebhook(secrets, id, event.body, now),
    "svc-event-id": id,
    "svc-event-type": event.type,
    "svc-delivery-id": deliveryId(event.ulid, endpoint.id),
  };
  return ports.webhookClient.send({ url: endpoint.url, poolKey: endpoint.id, headers, body: event.body }, onSlow);
}

async function signingSecrets(
  ports: Pick<DeliverPorts, "vault">,
  tenant: TenantId,
  endpoint: Endpoint,
  now: Millis,
): Promise<string[]> {
  const encryptionContext = { purpose: "webhook-secret", tenant, owner: endpoint.id } as const;
  const sealedSecrets = [
    endpoint.sealedSecret,
    endpoint.secondary && endpoint.secondary.expiresAt > now ? endpoint.secondary.sealedSecret : null,
  ].filter((secret) => secret !== null);
  if (sealedSecrets.length === 0) throw new Error("The endpoint has no signing secret.");
  return Promise.all(sealedSecrets.map((secret) => ports.vault.open(secret, encryptionContext)));
}
