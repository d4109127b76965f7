import * as z from "zod/mini";
import { iso } from "#base/kernel/time.ts";
import { endpointsFor } from "#http/endpoints-for.ts";
import { once } from "#http/lazy-schemas.ts";
import { type HourStats, getStats as read, type Stats } from "./flows.ts";
import type { StatsPorts } from "./ports.ts";

const endpoint = endpointsFor<StatsPorts>();

const endpointCountsSchema = once(() =>
  z.object({
    endpoint_id: z.string(),
    delivered: z.int(),
    failed: z.int(),
    dlq: z.int(),
  }),
);

const hourSchema = once(() =>
  z
    .object({
      starts_at: z.iso.datetime(),
      received: z.int(),
      sent: z.int(),
      answers: z.object({
        within_5_minutes: z.int(),
        within_15_minutes: z.int(),
        within_1_hour: z.int(),
        within_4_hours: z.int(),
        within_24_hours: z.int(),
        later: z.int(),
      }),
      endpoints: z.array(endpointCountsSchema()),
    })
    .register(z.globalRegistry, { id: "StatsHour" }),
);

function toEndpointResponse({
  endpointId,
  delivered,
  failed,
  dlq,
}: Stats["endpoints"][number]): z.infer<ReturnType<typeof endpointCountsSchema>> {
  return { endpoint_id: endpointId, delivered, failed, dlq };
}

function toHourResponse({
  startsAt,
  received,
  sent,
  answers,
  endpoints,
}: HourStats): z.infer<ReturnType<typeof hourSchema>> {
  return {
    starts_at: iso(startsAt),
    received,
    sent,
    answers: {
      within_5_minutes: answers.within5Minutes,
      within_15_minutes: answers.within15Minutes,
      within_1_hour: answers.within1Hour,
      within_4_hours: answers.within4Hours,
      within_24_hours: answers.within24Hours,
      later: answers.later,
    },
    endpoints: endpoints.map(toEndpointResponse),
  };
}

export const getStats = endpoint.tenant({
  operation: "getStats",
  method: "GET",
  path: "/v1/stats",
  role: "agent",
  tag: "Audit and stats",
  summary: "Get statistics",
  query: () => z.object({ series: z.optional(z.enum(["hour"])) }),
  data: () =>
    z.object({
      messages_24h: z.int(),
      dlq_total: z.int(),
      window_hours: z.int(),
      endpoints: z.array(endpointCountsSchema()),
      series: z.optional(z.array(hourSchema())),
    }),
  handle: async ({ tenant, query, now, ports }) => {
    const stats = await read(ports, tenant, now);
    return {
      messages_24h: stats.messages,
      dlq_total: stats.dlq,
      window_hours: stats.windowHours,
      endpoints: stats.endpoints.map(toEndpointResponse),
      ...(query.series === "hour" ? { series: stats.hours.map(toHourResponse) } : {}),
    };
  },
});
