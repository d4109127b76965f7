import { endpointsFor } from "#http/endpoints-for.ts";
import type { TicketPorts } from "../ports.ts";

/** The constructors of the routes for realtime tickets. */
export const endpoint = endpointsFor<TicketPorts>();
