import * as z from "zod/mini";
import { REALTIME_TICKET_LIFETIME } from "#base/kernel/limits.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Caller } from "#features/access/rules/callers.ts";
import { endpointsFor } from "#http/endpoints-for.ts";
import { createTicket } from "./flows/tickets.ts";
import type { TicketPorts } from "./ports.ts";

/** The constructors of the routes for realtime tickets. */
export const endpoint = endpointsFor<TicketPorts>();

/** The two routes of tickets. They differ in their credential. */
const common = {
  method: "POST",
  role: "agent",
  tag: "Realtime",
  data: () =>
    z.object({
      ticket: z.string(),
      expires_at: z.int(),
      expires_in_ms: z.literal(REALTIME_TICKET_LIFETIME),
      url: z.string(),
    }),
} as const;

export const createRealtimeTicket = endpoint.tenant({
  ...common,
  operation: "createRealtimeTicket",
  summary: "Create a realtime ticket",
  path: "/v1/realtime/ticket",
  handle: async ({ caller, tenant, now, ports }) => create(ports, { caller, tenant, now }),
});

export const createSessionTicket = endpoint.session({
  ...common,
  operation: "createSessionTicket",
  summary: "Create a ticket for the console's stream",
  path: "/console/session/ws-ticket",
  tenant: "query",
  handle: async ({ caller, tenant, now, ports }) => create(ports, { caller, tenant, now }),
});

async function create(
  ports: TicketPorts,
  request: { readonly caller: Caller; readonly tenant: TenantId; readonly now: Millis },
) {
  const created = await createTicket(ports, request);
  if (isRefusal(created)) return created;
  const { ticket, expiresAt, url } = created;
  return { ticket, expires_at: expiresAt, expires_in_ms: REALTIME_TICKET_LIFETIME, url } as const;
}
