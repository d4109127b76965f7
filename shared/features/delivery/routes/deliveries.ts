import * as z from "zod/mini";
import { eventId, eventTypes } from "#base/events/events.ts";
import { isUlid } from "#base/kernel/ids.ts";
import { invalidField, isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, type Millis } from "#base/kernel/time.ts";
import { commaSeparated, instant } from "#http/fields.ts";
import { once } from "#http/lazy-schemas.ts";
import { getDelivery as readDelivery } from "../flows/get-delivery.ts";
import { summarizeFailures } from "../flows/summarize.ts";
import { replayDelivery as replay } from "../replay.ts";
import { attemptErrors, type Delivery, deliveryId, deliveryStatuses, failingStatuses } from "../rules/deliveries.ts";
import { waitOf, waitReasons } from "../rules/waits.ts";
import { type DeliveryRoutePorts, endpoint } from "./endpoint.ts";

const deliverySchema = once(() =>
  z
    .object({
      delivery_id: z.string(),
      event_id: z.string(),
      event_type: z.enum(eventTypes),
      status: z.enum(deliveryStatuses),
      attempt_number: z.number(),
      next_retry_at: z.nullable(z.number()),
      waiting_for: z.nullable(z.enum(waitReasons)),
      waiting_until: z.nullable(z.number()),
      last_response_status: z.nullable(z.number()),
      last_error: z.nullable(z.enum(attemptErrors)),
      last_duration_ms: z.nullable(z.number()),
      created_at: z.number(),
      updated_at: z.number(),
    })
    .register(z.globalRegistry, { id: "Delivery" }),
);

/** What decides how deliveries of one endpoint wait. */
interface WaitContext {
  /** Of an open circuit; null while it is closed. */
  readonly nextProbe: Millis | null;
  readonly now: Millis;
}

/** Reads the endpoint of deliveries if one of them waits for more than a time that its row names. */
async function readWaits(
  { endpoints }: Pick<DeliveryRoutePorts, "endpoints">,
  tenant: TenantId,
  { endpointId, rows, now }: { readonly endpointId: string; readonly rows: readonly Delivery[]; readonly now: Millis },
): Promise<WaitContext> {
  const isNeeded = rows.some((row) => (waitOf(row, null, now)?.reason ?? "retry") !== "retry");
  const endpoint = isNeeded ? await endpoints.get(tenant, endpointId) : null;
  return { nextProbe: endpoint?.breaker.openUntil ?? null, now };
}

/** Deliveries are the only resource whose times are epoch milliseconds. */
function toDeliveryResponse(
  delivery: Delivery,
  { nextProbe, now }: WaitContext,
): z.infer<ReturnType<typeof deliverySchema>> {
  const wait = waitOf(delivery, nextProbe, now);
  return {
    delivery_id: deliveryId(delivery.eventUlid, delivery.endpointId),
    event_id: eventId(delivery.eventUlid),
    event_type: delivery.eventType,
    status: delivery.status,
    attempt_number: delivery.attempt,
    next_retry_at: delivery.nextRetryAt,
    waiting_for: wait?.reason ?? null,
    waiting_until: wait?.until ?? null,
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
  role: "admin",
  tag: "Webhooks",
  summary: "List deliveries",
  query: () =>
    z.object({
      status: z.optional(commaSeparated(deliveryStatuses)),
      event_type: z.optional(commaSeparated(eventTypes)),
      from: z.optional(instant),
      to: z.optional(instant),
    }),
  scope: "deliveries",
  filters: ({ path, query: { status, event_type, from, to } }) => ({
    id: path.id,
    status: status?.join(","),
    event_type: event_type?.join(","),
    from,
    to,
  }),
  data: () => z.object({ deliveries: z.array(deliverySchema()) }),
  handle: async ({ tenant, path, query, page, now, ports }) => {
    const { status: statuses = null, event_type: types = null, from = null, to = null } = query;
    if (from !== null && to !== null && to < from) return invalidField("to", "must not be before from");
    // A malformed id lists nothing, as an unknown id and an id of another tenant do.
    if (!isUlid(path.id)) return { data: { deliveries: [] }, next: null };
    const filter = { statuses, eventTypes: types, from, to };
    const listQuery = { endpointId: path.id, before: page.position, limit: page.limit, now, filter };
    const { rows, next } = await ports.deliveries.list(tenant, listQuery);
    const waits = await readWaits(ports, tenant, { endpointId: path.id, rows, now });
    return { data: { deliveries: rows.map((row) => toDeliveryResponse(row, waits)) }, next };
  },
});

const detailSchema = once(() =>
  z
    .extend(deliverySchema(), {
      event: z
        .nullable(z.record(z.string(), z.unknown()))
        .check(z.describe("The body as each attempt sends it. Null when it is erased, unsent or older than 7 days.")),
      attempts: z
        .array(
          z.object({
            attempt: z.number(),
            at: z.number().check(z.describe("When it started, in epoch milliseconds.")),
            status: z.nullable(z.number()),
            error: z.nullable(z.enum(attemptErrors)),
            duration_ms: z.nullable(z.number()),
            response: z
              .nullable(z.string())
              .check(
                z.describe(
                  "Of the newest attempt, the first 256 bytes of the response if they are text, without secrets; else null. Null as soon as `event` is.",
                ),
              ),
          }),
        )
        .check(z.describe("The last ten attempts, newest first.")),
    })
    .register(z.globalRegistry, { id: "DeliveryDetail" }),
);

export const getDelivery = endpoint.tenant({
  operation: "getDelivery",
  method: "GET",
  path: "/v1/webhooks/{id}/deliveries/{deliveryId}",
  role: "admin",
  tag: "Webhooks",
  summary: "Get a delivery",
  refusals: ["delivery_not_found"],
  data: () => z.object({ delivery: detailSchema() }),
  handle: async ({ tenant, path, now, ports }) => {
    const result = await readDelivery(ports, tenant, { endpointId: path.id, deliveryId: path.deliveryId, now });
    if (isRefusal(result)) return result;
    const { row, eventBody, response } = result;
    const attempts = row.attempts.map(({ durationMs, ...attempt }, index) => ({
      ...attempt,
      duration_ms: durationMs,
      response: index === 0 ? response : null,
    }));
    const waits = await readWaits(ports, tenant, { endpointId: path.id, rows: [row], now });
    return {
      delivery: {
        ...toDeliveryResponse(row, waits),
        event: eventBody === null ? null : JSON.parse(eventBody),
        attempts,
      },
    };
  },
});

export const summarizeDeliveries = endpoint.tenant({
  operation: "summarizeDeliveries",
  method: "GET",
  path: "/v1/webhooks/{id}/deliveries/summary",
  role: "admin",
  tag: "Webhooks",
  summary: "List undelivered events",
  query: () => z.object({ since: z.optional(instant), status: z.optional(commaSeparated(failingStatuses)) }),
  refusals: ["endpoint_not_found"],
  data: () => z.object({ deliveries: z.array(deliverySchema()), truncated: z.boolean() }),
  handle: async ({ tenant, path, query, now, ports }) => {
    const { since = now - DAY, status: statuses = failingStatuses } = query;
    const failures = await summarizeFailures(ports, tenant, { endpointId: path.id, since, statuses }, now);
    if (isRefusal(failures)) return failures;
    const waits = await readWaits(ports, tenant, { endpointId: path.id, rows: failures.rows, now });
    return { deliveries: failures.rows.map((row) => toDeliveryResponse(row, waits)), truncated: failures.truncated };
  },
});

export const replayDelivery = endpoint.tenant({
  operation: "replayDelivery",
  method: "POST",
  path: "/v1/webhooks/{id}/deliveries/{deliveryId}/replay",
  role: "admin",
  tag: "Webhooks",
  summary: "Replay a delivery",
  query: () => z.object({ force: z.optional(z.string()) }),
  refusals: ["endpoint_not_found", "delivery_not_found", "replay_conflict", "replay_expired"],
  data: () => z.object({ delivery_id: z.string(), status: z.enum(["pending"]) }),
  handle: async ({ author, tenant, path, query, now, ports }) => {
    const { id: endpointId, deliveryId } = path;
    const replayRequest = { endpointId, deliveryId, force: query.force === "true", author };
    const result = await replay(ports, tenant, replayRequest, now);
    return isRefusal(result) ? result : { delivery_id: deliveryId, status: result.status };
  },
});
