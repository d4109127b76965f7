import * as z from "zod/mini";
import { endpointsFor } from "#http/endpoints-for.ts";
import { getStats as read } from "./flows.ts";
import type { StatsPorts } from "./ports.ts";

const endpoint = endpointsFor<StatsPorts>();

export const getStats = endpoint.tenant({
  operation: "getStats",
  method: "GET",
  path: "/v1/stats",
  role: "agent",
  tag: "Audit and stats",
  summary: "Get counts for the current hour and the 24 hours before it",
  description:
    "Live messages are counted in the hour they were stored, deliveries in the hour they reached their status. Blocked deliveries count as failed. A replay does not reduce a count. Every endpoint that is not deleted has a row.",
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
