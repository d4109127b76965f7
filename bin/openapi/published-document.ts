import { API_VERSION } from "#base/events/events.ts";
import { withoutBooleanConstants } from "#http/openapi/boolean-constants.ts";
import { openApiDocument } from "#http/openapi/document.ts";
import type { Json } from "#http/openapi/schemas.ts";
import { publishedRoutes } from "../../functions/published-routes.ts";
import { describeDocument } from "./describe/describe.ts";
import { documentInfo } from "./info.ts";
import { frameSchemas, realtimeStream } from "./realtime.ts";
import { eventChoice } from "./shape/event-choice.ts";
import { withFullBodies } from "./shape/full-bodies.ts";
import { nameParts } from "./shape/name-parts.ts";
import { isPage } from "./shape/pages.ts";
import { withPlainForms } from "./shape/plain-forms.ts";
import { describeTags } from "./tags.ts";
import { publishedTexts } from "./texts/texts.ts";
import { eventWebhooks } from "./webhooks.ts";

/** The OpenAPI document of everything that programs call and that a deployment sends, with its descriptions. */
export function publishedDocument(): Json {
  const document = documentOf(publishedRoutes.filter((route) => !isPage(route)));
  return withoutBooleanConstants(describeDocument(document, publishedTexts));
}

/** The document of every route, also of those that serve pages and their files, without the descriptions. */
export function completeDocument(): Json {
  return documentOf(publishedRoutes);
}

/** The paths that only serve pages and their files, which tests compare with as with the published document. */
export function pagesDocument(): Json {
  const { paths, components } = openApiDocument(publishedRoutes.filter(isPage), {
    title: "Pages",
    version: API_VERSION,
  });
  const { schemas, responses } = components as Json;
  return { paths, components: { schemas, responses } };
}

function documentOf(endpoints: Parameters<typeof openApiDocument>[0]): Json {
  const info = { title: "Parley", version: API_VERSION, ...documentInfo };
  const routes = openApiDocument(endpoints, info);
  const components = routes.components as { schemas: Json };
  const { webhooks, schemas: eventSchemas } = eventWebhooks(components.schemas);
  const schemas = { ...components.schemas, ...eventSchemas, ...frameSchemas(components.schemas) };
  const tagNames = (routes.tags as { name: string }[]).map(({ name }) => name);
  const shaped = nameParts({
    ...routes,
    tags: describeTags([...tagNames, "Events"]),
    webhooks,
    components: { ...components, schemas: { ...schemas, Event: eventChoice(webhooks) } },
    "x-realtime": realtimeStream(),
  });
  const document = withPlainForms(withFullBodies(shaped));
  const named = document.components as { schemas: Json };
  return { ...document, components: { ...named, schemas: byName(named.schemas) } };
}

function byName(schemas: Json): Json {
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
}
