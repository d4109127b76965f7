import * as z from "zod/mini";
import { getStats as read } from "../../../shared/flows/stats/read-stats.ts";
import { endpoint } from "../api-endpoint.ts";

export const getStats = endpoint({
  method: "GET",
  path: "/v1/stats",
  auth: "key",
  tenant: "query",
  tag: "Audit and stats",
  summary: "Read what happened in the present hour and the 24 before",
  description:
    "Counts live messages by the hour they were stored, and deliveries by the hour they reached the state; blocked ones count as failed. A replay subtracts nothing. Endpoints that are not deleted each have a row.",
  data: z.object({
    messages_24h: z.int(),
    dlq_total: z.int(),
    window_hours: z.int(),
    endpoints: z.array(z.object({ endpoint_id: z.string(), delivered: z.int(), failed: z.int(), dlq: z.int() })),
  }),
  handle: async ({ tenant, now, ports }) => {
    const stats = await read(ports, tenant, now);
    return {
      messages_24h: stats.messages,
      dlq_total: stats.dlq,
      window_hours: stats.windowHours,
      endpoints: stats.endpoints.map(({ endpointId, delivered, failed, dlq }) => ({
        endpoint_id: endpointId,
        delivered,
        failed,
        dlq,
      })),
    };
  },
});
