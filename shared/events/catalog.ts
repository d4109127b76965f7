import * as z from "zod/mini";
import { type EventType, eventTypes } from "../domain/events/events.ts";
import { accountEvents } from "./account.ts";
import { envelopeSchema } from "./envelope.ts";
import type { EventDefinition } from "./event-definition.ts";
import { messageFailed, messageReceived, messageSent } from "./message.ts";
import { messageDeleted } from "./message-deleted.ts";
import { messageEdited } from "./message-edited.ts";
import { messageReaction } from "./message-reaction.ts";
import { referralReceived } from "./referral-received.ts";
import { testEvent } from "./test-event.ts";
import { webhookPaused } from "./webhook-paused.ts";

const definitions: Readonly<Record<EventType, EventDefinition>> = {
  "message.received": messageReceived,
  "message.sent": messageSent,
  "message.failed": messageFailed,
  "message.deleted": messageDeleted,
  "message.edited": messageEdited,
  "message.reaction": messageReaction,
  "referral.received": referralReceived,
  ...accountEvents,
  "webhook.paused": webhookPaused,
  "test.event": testEvent,
};

interface CatalogEntry {
  readonly type: EventType;
  readonly description: string;
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
    schema: z.toJSONSchema(eventSchema(type), { io: "input" }),
    example: JSON.parse(definitions[type].example().body),
  }));
}

/** The schema of the whole request body of an event. */
export function eventSchema(type: EventType) {
  return envelopeSchema(type, definitions[type].dataSchema());
}
