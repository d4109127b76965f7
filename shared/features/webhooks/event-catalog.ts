import * as z from "zod/mini";
import { envelopeSchema } from "#base/events/envelope.ts";
import type { EventDefinition } from "#base/events/event-definition.ts";
import { defaultEventTypes, type EventType, eventTypes } from "#base/events/events.ts";
import { accountEvents } from "#features/accounts/events.ts";
import { conversationUpdated } from "#features/inbox/events/conversation-updated.ts";
import { messageFailed, messageReceived, messageSent } from "#features/inbox/events/message.ts";
import { messageDeleted } from "#features/inbox/events/message-deleted.ts";
import { messageEdited } from "#features/inbox/events/message-edited.ts";
import { messageReaction } from "#features/inbox/events/message-reaction.ts";
import { referralReceived } from "#features/inbox/events/referral-received.ts";
import { testEvent } from "./events/test-event.ts";
import { webhookPaused } from "./events/webhook-paused.ts";

const definitions: Readonly<Record<EventType, EventDefinition>> = {
  "message.received": messageReceived,
  "message.sent": messageSent,
  "message.failed": messageFailed,
  "message.deleted": messageDeleted,
  "message.edited": messageEdited,
  "message.reaction": messageReaction,
  "referral.received": referralReceived,
  "conversation.updated": conversationUpdated,
  ...accountEvents,
  "webhook.paused": webhookPaused,
  "test.event": testEvent,
};

interface CatalogEntry {
  readonly type: EventType;
  readonly description: string;
  /** Whether an endpoint that names no types receives it. */
  readonly default: boolean;
  /** The JSON Schema of the whole request body. Additional fields are allowed: within a version, events only grow. */
  readonly schema: Record<string, unknown>;
  /** A whole request body, as a receiver parses it. */
  readonly example: Record<string, unknown>;
}

/** Every event type, in published order. */
export function eventCatalog(): CatalogEntry[] {
  return eventTypes.map((type) => ({
    type,
    description: definitions[type].description,
    default: defaultEventTypes.includes(type),
    schema: z.toJSONSchema(eventSchema(type), { io: "input" }),
    example: JSON.parse(definitions[type].example().body),
  }));
}

/** The schema of the whole request body of an event. */
export function eventSchema(type: EventType) {
  return envelopeSchema(type, definitions[type].dataSchema());
}
