import * as z from "zod/mini";
import { eventTypes } from "#base/events/events.ts";
import { endpointsFor } from "#http/endpoints-for.ts";
import { eventCatalog } from "../event-catalog.ts";

const endpoint = endpointsFor<object>();

/** Built on the first request, and once per process. */
let cachedCatalog: ReturnType<typeof eventCatalog> | null = null;

export const listEventTypes = endpoint.caller({
  operation: "listEventTypes",
  method: "GET",
  path: "/v1/event-types",
  tenant: "none",
  role: null,
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
  handle: async () => {
    cachedCatalog ??= eventCatalog();
    return { event_types: cachedCatalog };
  },
});
