import { deriveEventUlid } from "#base/events/events.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { encodeEvent } from "#features/delivery/event-queue.ts";
import { subscribedEndpoints } from "#features/webhooks/rules/endpoints.ts";
import { renderConversationUpdated } from "../events/conversation-updated.ts";
import type { ConversationChangePorts } from "../ports.ts";
import type { ConversationHead } from "../rules/messages.ts";

const TYPE = "conversation.updated";

/** A change of a conversation beside its messages. */
interface ConversationChange {
  readonly tenant: TenantId;
  readonly conversationId: string;
  /** Names the change within the conversation; the same change has the same name. */
  readonly name: string;
  readonly at: Millis;
}

/**
 * Stores which event stands for a change, so that the change is published once and an erasure finds the event. Most tenants
 * have no endpoint that names the event type: then nothing is stored.
 * @returns the event's ULID, that of the first call for this change; null where no endpoint would get the event
 */
export async function recordConversationChange(
  { endpoints, eventBodies }: Pick<ConversationChangePorts, "endpoints" | "eventBodies">,
  { tenant, conversationId, name, at }: ConversationChange,
  now: Millis,
): Promise<string | null> {
  if (subscribedEndpoints(TYPE, await endpoints.list(tenant)).length === 0) return null;
  const eventUlid = deriveEventUlid(tenant, `${conversationId} ${name}`, TYPE, at);
  return eventBodies.recordRef(conversationId, { changeName: name, eventUlid, changedAt: at }, now);
}

/** Publishes a recorded change. Safe to repeat: the body of the first call stays, and is sent to each endpoint once. */
export async function publishConversationChange(
  { events, eventBodies }: Pick<ConversationChangePorts, "events" | "eventBodies">,
  eventUlid: string,
  head: ConversationHead,
  now: Millis,
): Promise<void> {
  const { tenant } = head.ref;
  await eventBodies.save(tenant, renderConversationUpdated(eventUlid, head, now));
  const body = encodeEvent({ tenant, eventUlid, type: TYPE, source: null, repeated: true });
  await events.send({ body, group: tenant });
}
