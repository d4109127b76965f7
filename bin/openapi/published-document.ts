import { openApiDocument } from "../../functions/http/openapi/document.ts";
import type { Json } from "../../functions/http/openapi/schemas.ts";
import { publishedRoutes } from "../../functions/routes/published-routes.ts";
import { API_VERSION } from "../../shared/domain/events/events.ts";
import { documentInfo } from "./info.ts";
import { eventWebhooks } from "./webhooks.ts";

/** The OpenAPI document of everything that a deployment serves and sends. */
export function publishedDocument(): Json {
  const { webhooks, schemas } = eventWebhooks();
  const info = { title: "Parley", version: API_VERSION, ...documentInfo };
  return { ...openApiDocument<never>(publishedRoutes, info, schemas), webhooks };
}
