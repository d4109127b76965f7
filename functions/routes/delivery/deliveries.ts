import * as z from "zod/mini";
import { failingStatuses } from "../../../shared/domain/delivery/deliveries.ts";
import { replayDelivery as replay } from "../../../shared/flows/delivery/replay.ts";
import { summarizeFailures } from "../../../shared/flows/delivery/summarize.ts";
import { isUlid } from "../../../shared/kernel/ids.ts";
import { isRefusal } from "../../../shared/kernel/refusals.ts";
import { DAY } from "../../../shared/kernel/time.ts";
import { commaSeparated, instant } from "../../http/instant.ts";
import { nextCursor, openPage, pageScope } from "../../http/page.ts";
import { endpoint } from "../api-endpoint.ts";
import { deliverySchema, toDeliveryResponse } from "../responses.ts";

export const listDeliveries = endpoint({
  method: "GET",
  path: "/v1/webhooks/{id}/deliveries",
  auth: "key",
  tenant: "query",
  tag: "Webhooks",
  summary: "List an endpoint's deliveries, newest first",
  paged: true,
  data: z.object({ deliveries: z.array(deliverySchema), next_cursor: z.nullable(z.string()) }),
  handle: async ({ tenant, path, page, now, ports }) => {
    const scope = pageScope("deliveries", tenant, { id: path.id });
    const cursorKey = await ports.cursorKey();
    const start = openPage(cursorKey, scope, page);
    if (isRefusal(start)) return start;
    // An id that no endpoint can have has an empty history, like one that is unknown or another tenant's.
    const { rows, next } = isUlid(path.id)
      ? await ports.deliveries.list(tenant, { endpointId: path.id, before: start.position, limit: page.limit, now })
      : { rows: [], next: null };
    return { deliveries: rows.map(toDeliveryResponse), next_cursor: nextCursor(cursorKey, scope, next) };
  },
});

export const summarizeDeliveries = endpoint({
  method: "GET",
  path: "/v1/webhooks/{id}/deliveries/summary",
  auth: "key",
  tenant: "query",
  tag: "Webhooks",
  summary: "List what of an endpoint's deliveries has not come through, newest first",
  description: "since defaults to 24 hours ago. truncated says that only the most recent failures could be looked at.",
  query: z.object({ since: z.optional(instant), status: z.optional(commaSeparated(failingStatuses)) }),
  refusals: ["endpoint_not_found"],
  data: z.object({ deliveries: z.array(deliverySchema), truncated: z.boolean() }),
  handle: async ({ tenant, path, query, now, ports }) => {
    const filter = { since: query.since ?? now - DAY, statuses: query.status ?? failingStatuses };
    const failures = await summarizeFailures(ports, tenant, path.id, filter, now);
    if (isRefusal(failures)) return failures;
    return { deliveries: failures.rows.map(toDeliveryResponse), truncated: failures.truncated };
  },
});

export const replayDelivery = endpoint({
  method: "POST",
  path: "/v1/webhooks/{id}/deliveries/{deliveryId}/replay",
  auth: "key",
  tenant: "query",
  tag: "Webhooks",
  summary: "Deliver an event once more, with all its attempts",
  description: "A delivery that came through needs force=true. One whose attempts are under way cannot be replayed.",
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
