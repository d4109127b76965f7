import * as z from "zod/mini";
import {
  type Delivery,
  deliveryId,
  deliveryStatuses,
  failingStatuses,
} from "../../../shared/domain/delivery/deliveries.ts";
import { eventId, eventTypes } from "../../../shared/domain/events/events.ts";
import { replayDelivery as replay } from "../../../shared/flows/delivery/replay.ts";
import { summarizeFailures } from "../../../shared/flows/delivery/summarize.ts";
import { isUlid } from "../../../shared/kernel/ids.ts";
import { isRefusal } from "../../../shared/kernel/refusals.ts";
import { DAY } from "../../../shared/kernel/time.ts";
import { commaSeparated, instant } from "../../http/fields.ts";
import { endpoint } from "../api-endpoint.ts";

const deliverySchema = z.object({
  delivery_id: z.string(),
  event_id: z.string(),
  event_type: z.enum(eventTypes),
  status: z.enum(deliveryStatuses),
  attempt_number: z.number(),
  next_retry_at: z.nullable(z.number()),
  last_response_status: z.nullable(z.number()),
  last_error: z.nullable(z.enum(["timeout", "connect", "tls", "dns", "status", "too_large", "gate"])),
  last_duration_ms: z.nullable(z.number()),
  created_at: z.number(),
  updated_at: z.number(),
});

/** Deliveries are the only resource whose times are epoch milliseconds. */
function toDeliveryResponse(delivery: Delivery): z.infer<typeof deliverySchema> {
  return {
    delivery_id: deliveryId(delivery.eventUlid, delivery.endpointId),
    event_id: eventId(delivery.eventUlid),
    event_type: delivery.eventType,
    status: delivery.status,
    attempt_number: delivery.attempt,
    next_retry_at: delivery.nextRetryAt,
    last_response_status: delivery.lastResponseStatus,
    last_error: delivery.lastError,
    last_duration_ms: delivery.lastDurationMs,
    created_at: delivery.createdAt,
    updated_at: delivery.updatedAt,
  };
}

export const listDeliveries = endpoint.page({
  operation: "listDeliveries",
  method: "GET",
  path: "/v1/webhooks/{id}/deliveries",
  tag: "Webhooks",
  summary: "List the deliveries of an endpoint, newest first",
  scope: "deliveries",
  filters: ({ path }) => ({ id: path.id }),
  data: z.object({ deliveries: z.array(deliverySchema) }),
  handle: async ({ tenant, path, page, now, ports }) => {
    // A malformed id lists nothing, as an unknown id and an id of another tenant do.
    if (!isUlid(path.id)) return { data: { deliveries: [] }, next: null };
    const query = { endpointId: path.id, before: page.position, limit: page.limit, now };
    const { rows, next } = await ports.deliveries.list(tenant, query);
    return { data: { deliveries: rows.map(toDeliveryResponse) }, next };
  },
});

export const summarizeDeliveries = endpoint.tenant({
  operation: "summarizeDeliveries",
  method: "GET",
  path: "/v1/webhooks/{id}/deliveries/summary",
  tag: "Webhooks",
  summary: "List the undelivered events of an endpoint, newest first",
  description:
    "`since` defaults to 24 hours ago. `truncated: true` means that only the most recent failures were examined.",
  query: z.object({ since: z.optional(instant), status: z.optional(commaSeparated(failingStatuses)) }),
  refusals: ["endpoint_not_found"],
  data: z.object({ deliveries: z.array(deliverySchema), truncated: z.boolean() }),
  handle: async ({ tenant, path, query, now, ports }) => {
    const { since = now - DAY, status: statuses = failingStatuses } = query;
    const failures = await summarizeFailures(ports, tenant, { endpointId: path.id, since, statuses }, now);
    if (isRefusal(failures)) return failures;
    return { deliveries: failures.rows.map(toDeliveryResponse), truncated: failures.truncated };
  },
});

export const replayDelivery = endpoint.tenant({
  operation: "replayDelivery",
  method: "POST",
  path: "/v1/webhooks/{id}/deliveries/{deliveryId}/replay",
  tag: "Webhooks",
  summary: "Replay a delivery with a new set of attempts",
  description:
    "A delivery with the status `delivered` requires `force=true`. A delivery that is `pending`, `attempting` or `retrying` cannot be replayed.",
  query: z.object({ force: z.optional(z.string()) }),
  refusals: ["endpoint_not_found", "delivery_not_found", "replay_conflict", "replay_expired"],
  data: z.object({ delivery_id: z.string(), status: z.enum(["pending"]) }),
  handle: async ({ caller, tenant, path, query, request, now, ports }) => {
    const { id: endpointId, deliveryId } = path;
    const replayRequest = { endpointId, deliveryId, force: query.force === "true", caller, ip: request.sourceIp };
    const result = await replay(ports, tenant, replayRequest, now);
    return isRefusal(result) ? result : { delivery_id: deliveryId, status: result.status };
  },
});
