import * as z from "zod/mini";
import { defaultEventTypes, eventTypes } from "#base/events/events.ts";
import { allDone } from "#base/kernel/parallel.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import { getLiveEndpoint } from "#features/delivery/live-endpoint.ts";
import { endpointsFor } from "#http/endpoints-for.ts";
import { httpsUrlMeta } from "#http/fields.ts";
import { eventCatalog } from "./event-catalog.ts";
import {
  createWebhook as create,
  listWebhooks as list,
  deleteWebhook as remove,
  rotateSecret as rotate,
  sendTestEvent as sendTest,
  updateWebhook as update,
} from "./flows.ts";
import type { WebhookPorts } from "./ports.ts";
import { NO_COUNTS, readCounts, toWebhookResponse, type WebhookCountPorts, webhookSchema } from "./responses.ts";

/** Built on the first request, and once per process. */
let cachedCatalog: ReturnType<typeof eventCatalog> | null = null;

export const listEventTypes = endpointsFor<object>().caller({
  operation: "listEventTypes",
  method: "GET",
  path: "/v1/event-types",
  tenant: "none",
  role: null,
  tag: "Webhooks",
  summary: "List event types",
  data: () =>
    z.object({
      event_types: z.array(
        z.object({
          type: z.enum(eventTypes),
          description: z.string(),
          default: z.boolean(),
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

const endpoint = endpointsFor<WebhookPorts & WebhookCountPorts>();

const events = z.array(z.enum(eventTypes)).check(z.minLength(1));

export const listWebhooks = endpoint.tenant({
  operation: "listWebhooks",
  method: "GET",
  path: "/v1/webhooks",
  role: "admin",
  tag: "Webhooks",
  summary: "List webhook endpoints",
  data: () => z.object({ endpoints: z.array(webhookSchema()) }),
  handle: async ({ tenant, now, ports }) => {
    const [webhooks, counts] = await allDone([list(ports, tenant), readCounts(ports, tenant, now)]);
    return { endpoints: webhooks.map((webhook) => toWebhookResponse(webhook, counts, now)) };
  },
});

export const createWebhook = endpoint.tenant({
  operation: "createWebhook",
  method: "POST",
  path: "/v1/webhooks",
  role: "admin",
  tag: "Webhooks",
  summary: "Create a webhook endpoint",
  body: () => z.object({ url: z.string().check(httpsUrlMeta), events: z.optional(events) }),
  refusals: ["endpoint_limit", "dns_lookup_limit"],
  data: () => z.object({ endpoint: webhookSchema(), signing_secret: z.string() }),
  handle: async ({ author, tenant, body, now, ports }) => {
    const { url, events = defaultEventTypes } = body;
    const result = await create(ports, { tenant, url, events, author, now });
    if (isRefusal(result)) return result;
    // Nothing was delivered to a new endpoint.
    return { endpoint: toWebhookResponse(result.endpoint, NO_COUNTS, now), signing_secret: result.secret };
  },
});

export const getWebhook = endpoint.tenant({
  operation: "getWebhook",
  method: "GET",
  path: "/v1/webhooks/{id}",
  role: "admin",
  tag: "Webhooks",
  summary: "Get a webhook endpoint",
  refusals: ["endpoint_not_found"],
  data: () => z.object({ endpoint: webhookSchema() }),
  handle: async ({ tenant, path, now, ports }) => {
    const [webhook, counts] = await allDone([getLiveEndpoint(ports, tenant, path.id), readCounts(ports, tenant, now)]);
    return isRefusal(webhook) ? webhook : { endpoint: toWebhookResponse(webhook, counts, now) };
  },
});

export const updateWebhook = endpoint.tenant({
  operation: "updateWebhook",
  method: "PATCH",
  path: "/v1/webhooks/{id}",
  role: "admin",
  tag: "Webhooks",
  summary: "Update a webhook endpoint",
  body: () =>
    z.object({
      url: z.optional(z.string().check(httpsUrlMeta)),
      events: z.optional(events),
      status: z.optional(z.enum(["active", "paused"])),
    }),
  refusals: ["endpoint_not_found", "dns_lookup_limit"],
  data: () => z.object({ endpoint: webhookSchema() }),
  handle: async ({ author, tenant, path, body, now, ports }) => {
    const { url, events, status } = body;
    const changes = {
      ...(url === undefined ? {} : { url }),
      ...(events ? { events } : {}),
      ...(status ? { status } : {}),
    };
    const webhook = await update(ports, { tenant, endpointId: path.id, changes, author, now });
    if (isRefusal(webhook)) return webhook;
    return { endpoint: toWebhookResponse(webhook, await readCounts(ports, tenant, now), now) };
  },
});

export const deleteWebhook = endpoint.tenant({
  operation: "deleteWebhook",
  method: "DELETE",
  path: "/v1/webhooks/{id}",
  role: "admin",
  tag: "Webhooks",
  summary: "Delete a webhook endpoint",
  refusals: ["endpoint_not_found"],
  data: () => z.object({ deleted: z.literal(true) }),
  handle: async ({ author, tenant, path, now, ports }) => {
    const refusal = await remove(ports, { tenant, endpointId: path.id, author, now });
    return refusal ?? { deleted: true as const };
  },
});

export const rotateWebhookSecret = endpoint.tenant({
  operation: "rotateWebhookSecret",
  method: "POST",
  path: "/v1/webhooks/{id}/rotate",
  role: "admin",
  tag: "Webhooks",
  summary: "Rotate the signing secret",
  refusals: ["endpoint_not_found"],
  data: () => z.object({ endpoint: webhookSchema(), signing_secret: z.string() }),
  handle: async ({ author, tenant, path, now, ports }) => {
    const result = await rotate(ports, { tenant, endpointId: path.id, author, now });
    if (isRefusal(result)) return result;
    const counts = await readCounts(ports, tenant, now);
    return { endpoint: toWebhookResponse(result.endpoint, counts, now), signing_secret: result.secret };
  },
});

export const sendTestEvent = endpoint.tenant({
  operation: "sendTestEvent",
  method: "POST",
  path: "/v1/webhooks/{id}/test",
  role: "admin",
  tag: "Webhooks",
  summary: "Send a test event",
  refusals: ["endpoint_not_found"],
  data: () => z.object({ delivery_id: z.string() }),
  handle: async ({ author, tenant, path, now, ports }) => {
    const result = await sendTest(ports, { tenant, endpointId: path.id, author, now });
    return isRefusal(result) ? result : { delivery_id: result.deliveryId };
  },
});
