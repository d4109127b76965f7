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
  summary: "Disconnect an account (its conversations are retained)",
  description:
    "Encode the `#` of the account key as `%23`. Parley ends its webhooks at the platform and deletes the access token. From then on sends for the account are 404 `account_not_found`. Conversations and messages remain readable until they expire. `account.disconnected` is published. To connect the account again, a person logs in again; another tenant can connect it after two minutes. A test key gets 403.",
  refusals: ["account_not_found"],
  data: z.object({ disconnected: z.literal(true) }),
  handle: async ({ author, tenant, path, time, ports }) => {
    const disconnection = { tenant, accountKey: path.account_key, author };
    const result = await disconnect(ports, disconnection, time);
    return isRefusal(result) ? result : { disconnected: true as const };
  },
});
