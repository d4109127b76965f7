import * as z from "zod/mini";
import { eventTypes } from "../../../shared/domain/events/events.ts";
import { getLiveEndpoint } from "../../../shared/flows/delivery/live-endpoint.ts";
import { createWebhook as create } from "../../../shared/flows/webhooks/create.ts";
import { listWebhooks as list } from "../../../shared/flows/webhooks/list.ts";
import { rotateSecret as rotate } from "../../../shared/flows/webhooks/rotate.ts";
import { sendTestEvent as sendTest } from "../../../shared/flows/webhooks/send-test.ts";
import { updateWebhook as change, deleteWebhook as remove } from "../../../shared/flows/webhooks/update.ts";
import { isRefusal } from "../../../shared/kernel/refusals.ts";
import { endpoint } from "../api-endpoint.ts";
import { toWebhookResponse, webhookSchema } from "../responses.ts";

const events = z.array(z.enum(eventTypes)).check(z.minLength(1));

export const listWebhooks = endpoint({
  method: "GET",
  path: "/v1/webhooks",
  auth: "key",
  tenant: "query",
  tag: "Webhooks",
  summary: "List webhook endpoints",
  data: z.object({ endpoints: z.array(webhookSchema) }),
  handle: async ({ tenant, now, ports }) => ({
    endpoints: (await list(ports, tenant)).map((webhook) => toWebhookResponse(webhook, now)),
  }),
});

export const createWebhook = endpoint({
  method: "POST",
  path: "/v1/webhooks",
  auth: "key",
  tenant: "query",
  tag: "Webhooks",
  summary: "Create a webhook endpoint; its signing secret is answered this once",
  body: z.object({ url: z.string(), events: z.optional(events) }),
  refusals: ["endpoint_limit", "too_many_look_ups"],
  data: z.object({ endpoint: webhookSchema, signing_secret: z.string() }),
  handle: async ({ caller, tenant, body, request, now, ports }) => {
    const result = await create(
      ports,
      tenant,
      { url: body.url, events: body.events ?? eventTypes, caller, ip: request.sourceIp },
      now,
    );
    if (isRefusal(result)) return result;
    return { endpoint: toWebhookResponse(result.endpoint, now), signing_secret: result.secret };
  },
});

export const getWebhook = endpoint({
  method: "GET",
  path: "/v1/webhooks/{id}",
  auth: "key",
  tenant: "query",
  tag: "Webhooks",
  summary: "Read a webhook endpoint",
  refusals: ["endpoint_not_found"],
  data: z.object({ endpoint: webhookSchema }),
  handle: async ({ tenant, path, now, ports }) => {
    const webhook = await getLiveEndpoint(ports, tenant, path.id);
    return isRefusal(webhook) ? webhook : { endpoint: toWebhookResponse(webhook, now) };
  },
});

export const updateWebhook = endpoint({
  method: "PATCH",
  path: "/v1/webhooks/{id}",
  auth: "key",
  tenant: "query",
  tag: "Webhooks",
  summary: "Change a webhook endpoint's address, events or status; what is not given stays",
  description:
    "While an endpoint is paused its events are kept as blocked deliveries: once it is active again, a replay with status=blocked sends them.",
  body: z.object({
    url: z.optional(z.string()),
    events: z.optional(events),
    status: z.optional(z.enum(["active", "paused"])),
  }),
  refusals: ["endpoint_not_found", "too_many_look_ups"],
  data: z.object({ endpoint: webhookSchema }),
  handle: async ({ caller, tenant, path, body, request, now, ports }) => {
    const { url, events, status } = body;
    const requestedChanges = {
      ...(url === undefined ? {} : { url }),
      ...(events ? { events } : {}),
      ...(status ? { status } : {}),
    };
    const webhook = await change(ports, tenant, path.id, requestedChanges, { caller, ip: request.sourceIp }, now);
    return isRefusal(webhook) ? webhook : { endpoint: toWebhookResponse(webhook, now) };
  },
});

export const deleteWebhook = endpoint({
  method: "DELETE",
  path: "/v1/webhooks/{id}",
  auth: "key",
  tenant: "query",
  tag: "Webhooks",
  summary: "Delete a webhook endpoint; its secrets are erased, the history of its deliveries stays",
  refusals: ["endpoint_not_found"],
  data: z.object({ deleted: z.literal(true) }),
  handle: async ({ caller, tenant, path, request, now, ports }) => {
    const refusal = await remove(ports, tenant, path.id, { caller, ip: request.sourceIp }, now);
    return refusal ?? { deleted: true as const };
  },
});

export const rotateWebhookSecret = endpoint({
  method: "POST",
  path: "/v1/webhooks/{id}/rotate",
  auth: "key",
  tenant: "query",
  tag: "Webhooks",
  summary:
    "Give a webhook endpoint a new signing secret, answered this once; the one before signs beside it for 24 hours",
  refusals: ["endpoint_not_found"],
  data: z.object({ endpoint: webhookSchema, signing_secret: z.string() }),
  handle: async ({ caller, tenant, path, request, now, ports }) => {
    const result = await rotate(ports, tenant, path.id, { caller, ip: request.sourceIp }, now);
    if (isRefusal(result)) return result;
    return { endpoint: toWebhookResponse(result.endpoint, now), signing_secret: result.secret };
  },
});

export const sendTestEvent = endpoint({
  method: "POST",
  path: "/v1/webhooks/{id}/test",
  auth: "key",
  tenant: "query",
  tag: "Webhooks",
  summary: "Send a webhook endpoint a test.event, whatever it subscribes to",
  refusals: ["endpoint_not_found"],
  data: z.object({ delivery_id: z.string() }),
  handle: async ({ caller, tenant, path, request, now, ports }) => {
    const result = await sendTest(ports, tenant, path.id, { caller, ip: request.sourceIp }, now);
    return isRefusal(result) ? result : { delivery_id: result.deliveryId };
  },
});
