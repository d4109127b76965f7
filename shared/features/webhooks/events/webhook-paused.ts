import * as z from "zod/mini";
import type { EventDefinition } from "#base/events/event-definition.ts";
import { type RenderedEvent, renderEvent } from "#base/events/events.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { sampleTenant, sampleUlid } from "#features/inbox/events/samples.ts";

const TYPE = "webhook.paused";

const dataSchema = () => z.object({ endpoint_id: z.string(), reason: z.string() });
type WebhookPausedData = z.infer<ReturnType<typeof dataSchema>>;

export function renderWebhookPaused(
  tenant: TenantId,
  eventUlid: string,
  { endpointId, reason }: { readonly endpointId: string; readonly reason: "gone" | "failing" },
): RenderedEvent {
  const data: WebhookPausedData = { endpoint_id: endpointId, reason };
  return renderEvent(tenant, eventUlid, TYPE, data);
}

export const webhookPaused: EventDefinition = {
  description: "Parley paused a webhook endpoint of the tenant. The paused endpoint does not receive this event.",
  dataSchema,
  example: () =>
    renderWebhookPaused(sampleTenant(), sampleUlid(TYPE), { endpointId: sampleUlid("an endpoint"), reason: "gone" }),
};
