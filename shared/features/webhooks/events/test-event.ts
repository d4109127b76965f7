import * as z from "zod/mini";
import type { EventDefinition } from "#base/events/event-definition.ts";
import { type RenderedEvent, renderEvent } from "#base/events/events.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { sampleTenant, sampleUlid } from "#features/inbox/events/samples.ts";

const TYPE = "test.event";
const NOTE = "This is a test event. No message was sent or received.";

const dataSchema = () => z.object({ endpoint_id: z.string(), note: z.string(), requested_by: z.string() });
type TestEventData = z.infer<ReturnType<typeof dataSchema>>;

/** @param requestedBy the actor as the audit log names it, such as `key:<keyId>` */
export function renderTestEvent(
  tenant: TenantId,
  eventUlid: string,
  { endpointId, requestedBy }: { readonly endpointId: string; readonly requestedBy: string },
): RenderedEvent {
  const data: TestEventData = { endpoint_id: endpointId, note: NOTE, requested_by: requestedBy };
  return renderEvent(tenant, eventUlid, TYPE, data);
}

export const testEvent: EventDefinition = {
  description: "A test event was requested for this endpoint.",
  dataSchema,
  example: () =>
    renderTestEvent(sampleTenant(), sampleUlid(TYPE), {
      endpointId: sampleUlid("an endpoint"),
      requestedBy: `key:${sampleUlid("a key")}`,
    }),
};
