import * as z from "zod/mini";
import { allDone } from "#base/kernel/parallel.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import { readCheckStates } from "../flows/check-states.ts";
import { disconnectAccount as disconnect } from "../flows/disconnect.ts";
import { accountSchema, toAccountResponse } from "./account-response.ts";
import { endpoint } from "./endpoint.ts";

export const listAccounts = endpoint.tenant({
  operation: "listAccounts",
  method: "GET",
  path: "/v1/accounts",
  role: "agent",
  tag: "Accounts",
  summary: "List accounts",
  data: () => z.object({ accounts: z.array(accountSchema()) }),
  handle: async ({ tenant, now, ports }) => {
    const [accounts, checkState] = await allDone([ports.accounts.list(tenant), readCheckStates(ports, tenant)]);
    return { accounts: accounts.map((account) => toAccountResponse(account, checkState(account), now)) };
  },
});

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
