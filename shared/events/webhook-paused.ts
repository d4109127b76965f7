import * as z from "zod/mini";
import { type RenderedEvent, renderEvent } from "../domain/events/events.ts";
import type { TenantId } from "../kernel/tenant.ts";
import type { EventDefinition } from "./event-definition.ts";
import { sampleTenant, sampleUlid } from "./samples.ts";

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
