import * as z from "zod/mini";
import { allDone } from "#base/kernel/parallel.ts";
import { readWebhookStates } from "../flows/webhook-states.ts";
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
    const [accounts, webhookState] = await allDone([ports.accounts.list(tenant), readWebhookStates(ports, tenant)]);
    return { accounts: accounts.map((account) => toAccountResponse(account, webhookState(account), now)) };
  },
});
