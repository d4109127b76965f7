import * as z from "zod/mini";
import { type EventType, eventTypes } from "#base/events/events.ts";
import { eventCatalog, eventSchema } from "#features/webhooks/event-catalog.ts";
import { type Json, removeDatePattern } from "#http/openapi/schemas.ts";
import { withKnownSchemas } from "./known-schemas.ts";
import { deliveryHeaders } from "./webhook-headers.ts";

interface EventWebhooks {
  readonly webhooks: Json;
  /** The schema of each event type, by its name. */
  readonly schemas: Json;
}

/**
 * The `webhooks` of the OpenAPI document: the request that each event type sends to an endpoint.
 * @param components the schemas that the document has
 */
export function eventWebhooks(components: Json): EventWebhooks {
  return {
    webhooks: Object.fromEntries(eventCatalog().map((event) => [event.type, { post: toOperation(event) }])),
    schemas: Object.fromEntries(
      eventTypes.map((type) => [schemaName(type), withKnownSchemas(toSchema(type), components)]),
    ),
  };
}

function toSchema(type: EventType): Json {
  const { $schema: _, ...schema } = z.toJSONSchema(eventSchema(type), {
    io: "input",
    override: ({ jsonSchema }) => removeDatePattern(jsonSchema),
  }) as Json;
  return schema;
}

function toOperation({ type, description, example }: { type: string; description: string; example: object }): Json {
  const schema = { $ref: `#/components/schemas/${schemaName(type)}` };
  return {
    operationId: operationName(type),
    summary: description,
    tags: ["Events"],
    security: [],
    parameters: deliveryHeaders,
    requestBody: { required: true, content: { "application/json": { schema, example } } },
    responses: { "2XX": { description: "The delivery succeeded. The response body is ignored." } },
  };
}

/** `messageReceivedEvent` of `message.received`. */
function operationName(type: string): string {
  const name = schemaName(type);
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** `MessageReceivedEvent` of `message.received`. */
export function schemaName(type: string): string {
  const words = type.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return words.at(-1) === "Event" ? words.join("") : `${words.join("")}Event`;
}
