import * as z from "zod/mini";
import { type EventType, eventTypes } from "../../../shared/domain/events/events.ts";
import { endpoint } from "../api-endpoint.ts";
import { exampleEvent } from "./event-examples.ts";
import { eventSchema } from "./event-schemas.ts";

const descriptions: Record<EventType, string> = {
  "message.received": "A person wrote, or pressed a button.",
  "message.sent": "A message left the account: through the API (outbound), or from another app (echo).",
  "message.failed": "A message that the API tried to send did not go out.",
  "message.deleted": "A person unsent a message.",
  "message.edited": "A person edited a message; text is the new one.",
  "message.reaction": "A person reacted to a message, or took the reaction back.",
  "account.connected": "An account was connected.",
  "account.reconnected": "An account that was connected before was connected again.",
  "account.disconnected": "An account was disconnected.",
  "account.needs_reauth": "An account's access ended: connect it again.",
  "account.restricted": "The platform restricts an account.",
  "account.recovered": "An account works again.",
  "webhook.paused": "An endpoint of this tenant was paused by the service. It is not told itself.",
  "test.event": "Someone asked for a test of this endpoint.",
};

interface EventTypeDoc {
  readonly type: EventType;
  readonly description: string;
  readonly schema: Record<string, unknown>;
  readonly example: Record<string, unknown>;
}

let cachedDocs: EventTypeDoc[] | null = null;

/** Made once for each process, when it is first asked for. */
function eventTypeDocs(): EventTypeDoc[] {
  cachedDocs ??= eventTypes.map((type) => ({
    type,
    description: descriptions[type],
    // Further fields are allowed: within a version events only grow.
    schema: z.toJSONSchema(eventSchema(type), { io: "input" }),
    example: exampleEvent(type),
  }));
  return cachedDocs;
}

export const listEventTypes = endpoint.key({
  operation: "listEventTypes",
  method: "GET",
  path: "/v1/event-types",
  tenant: "none",
  tag: "Webhooks",
  summary: "List the event types, each with its JSON Schema and an example",
  data: z.object({
    event_types: z.array(
      z.object({
        type: z.enum(eventTypes),
        description: z.string(),
        schema: z.record(z.string(), z.unknown()),
        example: z.record(z.string(), z.unknown()),
      }),
    ),
  }),
  handle: async () => ({ event_types: eventTypeDocs() }),
});
