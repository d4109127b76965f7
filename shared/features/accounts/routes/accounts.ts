import * as z from "zod/mini";
import { allDone } from "#base/kernel/parallel.ts";
import { readCheckStates } from "../flows/check-states.ts";
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
