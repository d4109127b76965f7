import * as z from "zod/mini";
import { endpoint } from "../api-endpoint.ts";
import { accountSchema, toAccountResponse } from "../responses.ts";

export const listAccounts = endpoint({
  method: "GET",
  path: "/v1/accounts",
  auth: "key",
  tenant: "query",
  tag: "Accounts",
  summary: "List connected accounts and whether each still works",
  data: z.object({ accounts: z.array(accountSchema) }),
  handle: async ({ tenant, ports }) => ({ accounts: (await ports.accounts.list(tenant)).map(toAccountResponse) }),
});
