import * as z from "zod/mini";
import { endpoint } from "../api-endpoint.ts";
import { accountSchema, toAccountResponse } from "./account-response.ts";

export const listAccounts = endpoint.tenant({
  operation: "listAccounts",
  method: "GET",
  path: "/v1/accounts",
  role: "agent",
  tag: "Accounts",
  summary: "List the connected accounts and their status",
  data: z.object({ accounts: z.array(accountSchema) }),
  handle: async ({ tenant, ports }) => ({ accounts: (await ports.accounts.list(tenant)).map(toAccountResponse) }),
});
