import type { RenderedEvent } from "#base/events/events.ts";
import { allDone } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { renderMessageEvent } from "#features/inbox/events/message.ts";
import { type EventSource, type Message, type MessageRef, messageRefKey } from "#features/inbox/rules/messages.ts";
import type { DeliverPorts, ReplayPorts } from "./ports.ts";

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
  return renderEvents(tenant, events, await loadBodies(ports, tenant, events));
}

/** Events to publish. */
export interface PublishedEvents {
  /** By ULID. An event whose body no longer exists is absent. */
  readonly rendered: ReadonlyMap<string, RenderedEvent>;
  /** The ULIDs of those whose wait for the person's name was ended here: no process has published them. */
  readonly ended: ReadonlySet<string>;
}

/**
 * Events of one tenant that are about to be published. The wait of a message for the person's name ends here: a name that
 * comes later must not change what every attempt and replay sends.
 */
export async function loadEventsToPublish(
  ports: BodyPorts & Pick<DeliverPorts, "nameWaits">,
  tenant: TenantId,
  events: readonly EventRef[],
  now: Millis,
): Promise<PublishedEvents> {
  const bodies = await loadBodies(ports, tenant, events);
  const waiting = events.filter(({ source }) => source && isWaiting(bodies.messages.get(messageRefKey(source))));
  const waits = await allDone(
    [...new Map(waiting.map((event) => [event.eventUlid, event])).values()].map(async (event) => ({
      event,
      ended: await ports.nameWaits.end(tenant, event.eventUlid, now),
    })),
  );
  // The others were ended before, perhaps with a name: they are read again.
  const others = waits.filter(({ ended }) => !ended).map(({ event }) => event);
  const messages = new Map(bodies.messages);
  for (const { source } of others) if (source) messages.delete(messageRefKey(source));
  const current = new Map([...messages, ...(await loadBodies(ports, tenant, others)).messages]);
  const ended = new Set(waits.filter((wait) => wait.ended).map(({ event }) => event.eventUlid));
  return { rendered: renderEvents(tenant, events, { ...bodies, messages: current }), ended };
}

function isWaiting(message: Message | undefined): boolean {
  return message?.nameWait === "waiting";
}

interface Bodies {
  /** By their refs' keys. */
  readonly messages: ReadonlyMap<string, Message>;
  /** By their events' ULIDs. */
  readonly stored: ReadonlyMap<string, RenderedEvent>;
}

async function loadBodies(ports: BodyPorts, tenant: TenantId, events: readonly EventRef[]): Promise<Bodies> {
  const refs = events.map(({ source }) => source).filter((source): source is MessageRef => source !== null);
  const storedUlids = events.filter(({ source }) => source === null).map(({ eventUlid }) => eventUlid);
  const [messages, stored] = await allDone([
    refs.length > 0 ? ports.messages.getByRefs(tenant, refs) : new Map<string, never>(),
    storedUlids.length > 0 ? ports.eventBodies.getByUlids(tenant, storedUlids) : new Map<string, RenderedEvent>(),
  ]);
  return { messages, stored };
}

function renderEvents(
  tenant: TenantId,
  events: readonly EventRef[],
  { messages, stored }: Bodies,
): Map<string, RenderedEvent> {
  const rendered = new Map(stored);
  for (const { eventUlid, source } of events) {
    const message = source ? messages.get(messageRefKey(source)) : undefined;
    if (message) rendered.set(eventUlid, renderMessageEvent(tenant, message));
  }
  return rendered;
}
