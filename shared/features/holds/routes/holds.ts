import * as z from "zod/mini";
import { isRefusal } from "#base/kernel/refusals.ts";
import { endpointsFor } from "#http/endpoints-for.ts";
import { toHoldFields } from "../events.ts";
import { getHold as read } from "../flows/view.ts";
import type { HoldPorts } from "../ports.ts";
import { holdSchema } from "./hold-schemas.ts";

const endpoint = endpointsFor<HoldPorts>();

export const getHold = endpoint.caller({
  operation: "getHold",
  method: "GET",
  path: "/v1/messages/holds/{hold_id}",
  tenant: "resource",
  role: "agent",
  tag: "Messages",
  summary: "Get a held message",
  refusals: ["hold_not_found"],
  data: () => z.object({ hold: holdSchema() }),
  handle: async ({ caller, path, now, ports }) => {
    const view = await read(ports, caller, path.hold_id, now);
    return isRefusal(view) ? view : { hold: toHoldFields(view.hold, view.state) };
  },
});
