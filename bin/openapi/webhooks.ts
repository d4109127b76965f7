import type { Json } from "../../functions/http/openapi/schemas.ts";
import { eventCatalog } from "../../shared/events/catalog.ts";
import { deliveryHeaders } from "./webhook-headers.ts";

interface EventWebhooks {
  readonly webhooks: Json;
  /** The schema of each event type, by its name. */
  readonly schemas: Json;
}

/** The `webhooks` of the OpenAPI document: the request that each event type sends to an endpoint. */
export function eventWebhooks(): EventWebhooks {
  const events = eventCatalog().map(({ schema: { $schema: _, ...schema }, ...event }) => ({ ...event, schema }));
  return {
    webhooks: Object.fromEntries(events.map((event) => [event.type, { post: toOperation(event) }])),
    schemas: Object.fromEntries(events.map(({ type, schema }) => [schemaName(type), schema])),
  };
}

function toOperation({ type, description, example }: { type: string; description: string; example: object }): Json {
  const schema = { $ref: `#/components/schemas/${schemaName(type)}` };
  return {
    summary: description,
    tags: ["Events"],
    parameters: deliveryHeaders,
    requestBody: { required: true, content: { "application/json": { schema, example } } },
    responses: { "2XX": { description: "The delivery succeeded. The response body is ignored." } },
  };
}

/** `MessageReceivedEvent` of `message.received`. */
function schemaName(type: string): string {
  const words = type.split(".").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return words.at(-1) === "Event" ? words.join("") : `${words.join("")}Event`;
}
