import { API_VERSION } from "#base/events/events.ts";
import { openApiDocument } from "#http/openapi/document.ts";
import type { Json } from "#http/openapi/schemas.ts";
import { publishedRoutes } from "../../functions/published-routes.ts";
import { documentInfo } from "./info.ts";
import { frameSchemas, realtimeStream } from "./realtime.ts";
import { describeTags } from "./tags.ts";
import { eventWebhooks } from "./webhooks.ts";

/** The OpenAPI document of everything that a deployment serves and sends. */
export function publishedDocument(): Json {
  const info = { title: "Parley", version: API_VERSION, ...documentInfo };
  const { webhooks, schemas: eventSchemas } = eventWebhooks();
  const routes = openApiDocument(publishedRoutes, info);
  const components = routes.components as { schemas: Json };
  const schemas = { ...components.schemas, ...eventSchemas, ...frameSchemas(components.schemas) };
  const tagNames = (routes.tags as { name: string }[]).map(({ name }) => name);
  return {
    ...routes,
    tags: describeTags([...tagNames, "Events"]),
    webhooks,
    components: { ...components, schemas: byName(schemas) },
    "x-realtime": realtimeStream(),
  };
}

function byName(schemas: Json): Json {
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
}
