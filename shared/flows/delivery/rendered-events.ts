import { type RenderedEvent, renderMessageEvent } from "../../domain/events/events.ts";
import { type EventSource, type MessageRef, refText } from "../../domain/inbox/messages.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { DeliverPorts } from "../ports.ts";

/** What names an event and says where its body comes from. */
interface Named {
  readonly eventUlid: string;
  readonly source: EventSource;
}

type BodyPorts = Pick<DeliverPorts, "messages" | "eventBodies">;

/** One event as it is sent: made anew from its message, or as it was kept. Null when that is gone. */
export async function renderedEventOf(ports: BodyPorts, tenant: TenantId, event: Named): Promise<RenderedEvent | null> {
  return (await renderedEvents(ports, tenant, [event])).get(event.eventUlid) ?? null;
}

/** Several events of one tenant by their ULIDs; one whose body is gone is absent. */
export async function renderedEvents(
  ports: BodyPorts,
  tenant: TenantId,
  events: readonly Named[],
): Promise<Map<string, RenderedEvent>> {
  const refs = events.map(({ source }) => source).filter((source): source is MessageRef => source !== null);
  const kept = events.filter(({ source }) => source === null).map(({ eventUlid }) => eventUlid);
  const [messages, bodies] = await Promise.all([
    refs.length > 0 ? ports.messages.byRefs(tenant, refs) : new Map<string, never>(),
    kept.length > 0 ? ports.eventBodies.byUlids(tenant, kept) : new Map<string, RenderedEvent>(),
  ]);
  const found = new Map(bodies);
  for (const { eventUlid, source } of events) {
    const message = source ? messages.get(refText(source)) : undefined;
    if (message) found.set(eventUlid, renderMessageEvent(tenant, message));
  }
  return found;
}
