import * as z from "zod/mini";
import { isRefusal } from "#base/kernel/refusals.ts";
import { once } from "#http/lazy-schemas.ts";
import { readCheckStates } from "../flows/check-states.ts";
import { listOfferedPages, type OfferedAccount, type OfferedPage } from "../flows/login/pages.ts";
import { selectPage } from "../flows/login/select-page.ts";
import { platforms } from "../rules/accounts.ts";
import { accountSchema, toAccountResponse } from "./account-response.ts";
import { connectEndpoint as endpoint } from "./endpoint.ts";

const tag = "Connecting accounts";

const offeredAccount = once(() =>
  z.object({ account_key: z.string(), connected: z.boolean(), picture: z.nullable(z.string()) }),
);
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
    messenger: toOfferedResponse(messenger),
    instagram: instagram && { ...toOfferedResponse(instagram), username: instagram.username },
  };
}

function toOfferedResponse({
  accountKey,
  isConnected,
  picture,
}: OfferedAccount): z.infer<ReturnType<typeof offeredAccount>> {
  return { account_key: accountKey, connected: isConnected, picture };
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
    const checkState = await readCheckStates(ports, tenant);
    return { accounts: accounts.map((account) => toAccountResponse(account, checkState(account), now)) };
  },
});
