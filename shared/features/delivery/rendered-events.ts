import type { RenderedEvent } from "#base/events/events.ts";
import { allDone } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { renderMessageEvent } from "#features/inbox/events/message.ts";
import { type EventSource, type MessageRef, messageRefKey } from "#features/inbox/rules/messages.ts";
import type { ReplayPorts } from "./ports.ts";

/** An event and the source of its body. */
interface EventRef {
  readonly eventUlid: string;
  readonly source: EventSource;
}

type BodyPorts = Pick<ReplayPorts, "messages" | "eventBodies">;

/** One event as it is sent: rendered from its message, or its stored body. Null when that no longer exists. */
export async function loadRenderedEvent(
  ports: BodyPorts,
  tenant: TenantId,
  event: EventRef,
): Promise<RenderedEvent | null> {
  return (await loadRenderedEvents(ports, tenant, [event])).get(event.eventUlid) ?? null;
}

/** Events of one tenant by ULID. An event whose body no longer exists is absent. */
export async function loadRenderedEvents(
  ports: BodyPorts,
  tenant: TenantId,
  events: readonly EventRef[],
): Promise<Map<string, RenderedEvent>> {
  const refs = events.map(({ source }) => source).filter((source): source is MessageRef => source !== null);
  const storedUlids = events.filter(({ source }) => source === null).map(({ eventUlid }) => eventUlid);
  const [messages, bodies] = await allDone([
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
