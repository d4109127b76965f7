import type { RenderedEvent } from "../../domain/events/events.ts";
import { type EventSource, type MessageRef, messageRefKey } from "../../domain/inbox/messages.ts";
import { renderMessageEvent } from "../../events/message.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { ReplayPorts } from "./ports.ts";

/** What names an event and says where its body comes from. */
interface EventRef {
  readonly eventUlid: string;
  readonly source: EventSource;
}

type BodyPorts = Pick<ReplayPorts, "messages" | "eventBodies">;

/** One event as it is sent: made anew from its message, or as it was kept. Null when that is gone. */
export async function loadRenderedEvent(
  ports: BodyPorts,
  tenant: TenantId,
  event: EventRef,
): Promise<RenderedEvent | null> {
  return (await loadRenderedEvents(ports, tenant, [event])).get(event.eventUlid) ?? null;
}

/** Several events of one tenant by their ULIDs; one whose body is gone is absent. */
export async function loadRenderedEvents(
  ports: BodyPorts,
  tenant: TenantId,
  events: readonly EventRef[],
): Promise<Map<string, RenderedEvent>> {
  const refs = events.map(({ source }) => source).filter((source): source is MessageRef => source !== null);
  const storedUlids = events.filter(({ source }) => source === null).map(({ eventUlid }) => eventUlid);
  const [messages, bodies] = await Promise.all([
    refs.length > 0 ? ports.messages.getByRefs(tenant, refs) : new Map<string, never>(),
    storedUlids.length > 0 ? ports.eventBodies.getByUlids(tenant, storedUlids) : new Map<string, RenderedEvent>(),
  ]);
  const rendered = new Map(bodies);
  for (const { eventUlid, source } of events) {
    const message = source ? messages.get(messageRefKey(source)) : undefined;
    if (message) rendered.set(eventUlid, renderMessageEvent(tenant, message));
  }
  return rendered;
}
