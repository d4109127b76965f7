import * as z from "zod/mini";
import { isRefusal } from "#base/kernel/refusals.ts";
import { disconnectAccount as disconnect } from "../flows/disconnect.ts";
import { endpoint } from "./endpoint.ts";

export const disconnectAccount = endpoint.tenant({
  operation: "disconnectAccount",
  method: "DELETE",
  path: "/v1/accounts/{account_key}",
  role: "admin",
  slashInId: true,
  liveKeyOnly: true,
  tag: "Accounts",
  summary: "Disconnect an account",
  refusals: ["account_not_found"],
  data: () => z.object({ disconnected: z.literal(true) }),
  handle: async ({ author, tenant, path, time, ports }) => {
    const disconnection = { tenant, accountKey: path.account_key, author };
    const result = await disconnect(ports, disconnection, time);
    return isRefusal(result) ? result : { disconnected: true as const };
  },
});
