import { eventCatalog } from "#features/webhooks/event-catalog.ts";
import { oneOf, type Texts } from "../describe/texts.ts";
import { schemaName } from "../webhooks.ts";

const descriptions = eventCatalog().map(({ type, description }) => [type, description] as const);

/** What each event reports, as `GET /v1/event-types` says it. */
export const catalogTexts: Texts = {
  EventType: oneOf("What an event reports.", Object.fromEntries(descriptions)),
  ...Object.fromEntries(descriptions.map(([type, description]) => [schemaName(type), description])),
};
