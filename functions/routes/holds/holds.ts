import * as z from "zod/mini";
import { toHoldFields } from "../../../shared/events/hold-fields.ts";
import { getHold as read } from "../../../shared/flows/holds/view.ts";
import { isRefusal } from "../../../shared/kernel/refusals.ts";
import { endpoint } from "../api-endpoint.ts";
import { holdSchema } from "./hold-schemas.ts";

export const getHold = endpoint.caller({
  operation: "getHold",
  method: "GET",
  path: "/v1/messages/holds/{hold_id}",
  tenant: "resource",
  role: "agent",
  tag: "Messages",
  summary: "Get the status of a held message (available for 30 minutes)",
  refusals: ["hold_not_found"],
  data: z.object({ hold: holdSchema }),
  handle: async ({ caller, path, now, ports }) => {
    const view = await read(ports, caller, path.hold_id, now);
    return isRefusal(view) ? view : { hold: toHoldFields(view.hold, view.state) };
  },
});
