import * as z from "zod/mini";
import { isRefusal } from "#base/kernel/refusals.ts";
import { once } from "#http/lazy-schemas.ts";
import { listOfferedPages, type OfferedPage } from "../flows/login/pages.ts";
import { selectPage } from "../flows/login/select-page.ts";
import { readWebhookStates } from "../flows/webhook-states.ts";
import { platforms } from "../rules/accounts.ts";
import { accountSchema, toAccountResponse } from "./account-response.ts";
import { connectEndpoint as endpoint } from "./endpoint.ts";

const tag = "Connecting accounts";

const offeredAccount = once(() => z.object({ account_key: z.string(), connected: z.boolean() }));
const pageSchema = once(() =>
  z
    .object({
      page_id: z.string(),
      name: z.string(),
      messenger: offeredAccount(),
      instagram: z.nullable(z.extend(offeredAccount(), { username: z.string() })),
    })
    .register(z.globalRegistry, { id: "LoginPage" }),
);

function toPageResponse({ pageId, name, messenger, instagram }: OfferedPage): z.infer<ReturnType<typeof pageSchema>> {
  return {
    page_id: pageId,
    name,
    messenger: { account_key: messenger.accountKey, connected: messenger.isConnected },
    instagram: instagram && {
      account_key: instagram.accountKey,
      username: instagram.username,
      connected: instagram.isConnected,
    },
  };
}

export const listPages = endpoint.session({
  operation: "listLoginPages",
  method: "GET",
  path: "/oauth/messenger/pages",
  role: "admin",
  tenant: "query",
  tag,
  summary: "List the pages of a login",
  refusals: ["oauth_state_invalid", "oauth_failed"],
  data: () => z.object({ pages: z.array(pageSchema()) }),
  handle: async ({ tenant, caller, now, ports }) => {
    const pages = await listOfferedPages(ports, { tenant, userId: caller.userId, now });
    return isRefusal(pages) ? pages : { pages: pages.map(toPageResponse) };
  },
});

export const selectLoginPage = endpoint.session({
  operation: "selectLoginPage",
  method: "POST",
  path: "/oauth/messenger/select",
  role: "admin",
  tenant: "query",
  tag,
  summary: "Connect a page of a login",
  body: () =>
    z.object({
      page_id: z.string(),
      connect: z.array(z.enum(platforms)).check(z.minLength(1), z.maxLength(platforms.length)),
    }),
  refusals: ["oauth_state_invalid", "oauth_failed", "account_in_use", "account_limit"],
  data: () => z.object({ accounts: z.array(accountSchema()) }),
  handle: async ({ tenant, author, body, now, time, ports }) => {
    const { page_id: pageId, connect: platforms } = body;
    const selection = { pageId, platforms, tenant, author, now, time };
    const accounts = await selectPage(ports, selection);
    if (isRefusal(accounts)) return accounts;
    const webhookState = await readWebhookStates(ports, tenant);
    return { accounts: accounts.map((account) => toAccountResponse(account, webhookState(account), now)) };
  },
});
