import * as z from "zod/mini";
import { eventTypes } from "../../shared/domain/events.ts";
import {
  createWebhook as create,
  listWebhooks as list,
  readWebhook as read,
} from "../../shared/flows/manage-webhooks.ts";
import { isRefusal } from "../../shared/kernel/refusals.ts";
import { nextCursor, openPage, pageScope } from "../http/page.ts";
import { endpoint } from "./api-endpoint.ts";
import { deliveryShape, deliveryView, webhookShape, webhookView } from "./shapes.ts";

export const listWebhooks = endpoint({
  method: "GET",
  path: "/v1/webhooks",
  auth: "key",
  tenant: "query",
  tag: "Webhooks",
  summary: "List webhook endpoints",
  data: z.object({ endpoints: z.array(webhookShape) }),
  handle: async ({ tenant, now, ports }) => ({
    endpoints: (await list(ports, tenant)).map((found) => webhookView(found, now)),
  }),
});

export const createWebhook = endpoint({
  method: "POST",
  path: "/v1/webhooks",
  auth: "key",
  tenant: "query",
  tag: "Webhooks",
  summary: "Create a webhook endpoint; its signing secret is answered this once",
  body: z.object({
    url: z.string(),
    events: z.optional(z.array(z.enum(eventTypes)).check(z.minLength(1))),
  }),
  refusals: ["endpoint_limit"],
  data: z.object({ endpoint: webhookShape, signing_secret: z.string() }),
  handle: async ({ caller, tenant, body, request, now, ports }) => {
    const created = await create(
      ports,
      tenant,
      { url: body.url, events: body.events ?? eventTypes, caller, ip: request.sourceIp },
      now,
    );
    if (isRefusal(created)) return created;
    return { endpoint: webhookView(created.endpoint, now), signing_secret: created.secret };
  },
});

export const readWebhook = endpoint({
  method: "GET",
  path: "/v1/webhooks/{id}",
  auth: "key",
  tenant: "query",
  tag: "Webhooks",
  summary: "Read a webhook endpoint",
  refusals: ["endpoint_not_found"],
  data: z.object({ endpoint: webhookShape }),
  handle: async ({ tenant, path, now, ports }) => {
    const found = await read(ports, tenant, path.id);
    return isRefusal(found) ? found : { endpoint: webhookView(found, now) };
  },
});

export const listDeliveries = endpoint({
  method: "GET",
  path: "/v1/webhooks/{id}/deliveries",
  auth: "key",
  tenant: "query",
  tag: "Webhooks",
  summary: "List an endpoint's deliveries, newest first",
  paged: true,
  data: z.object({ deliveries: z.array(deliveryShape), next_cursor: z.nullable(z.string()) }),
  handle: async ({ tenant, path, page, now, ports }) => {
    const scope = pageScope("deliveries", tenant, { id: path.id });
    const cursorKey = await ports.cursorKey();
    const start = openPage(cursorKey, scope, page);
    if (isRefusal(start)) return start;
    // An id that no endpoint can have has an empty history, like one that is unknown or another tenant's.
    const { rows, next } = /^[0-9A-Z]{26}$/.test(path.id)
      ? await ports.deliveries.list(tenant, { endpointId: path.id, before: start.position, limit: page.limit, now })
      : { rows: [], next: null };
    return { deliveries: rows.map(deliveryView), next_cursor: nextCursor(cursorKey, scope, next) };
  },
});
