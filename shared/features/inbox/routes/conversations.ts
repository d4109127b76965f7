import * as z from "zod/mini";
import { invalidField, isRefusal } from "#base/kernel/refusals.ts";
import { parseAccountKey, platforms } from "#features/accounts/rules/accounts.ts";
import { queryFlag } from "#http/fields.ts";
import { once } from "#http/lazy-schemas.ts";
import { conversationFields, toConversationFields } from "../events/conversation-fields.ts";
import { readConversation } from "../flows/read-inbox.ts";
import { setConversationDone } from "../flows/set-done.ts";
import { inboxPredicate } from "../rules/inbox-filter.ts";
import { endpoint } from "./endpoint.ts";
import { messageSchema, toMessageResponse } from "./messages.ts";

const conversationSchema = once(() => conversationFields().register(z.globalRegistry, { id: "Conversation" }));

export const listConversations = endpoint.page({
  operation: "listConversations",
  method: "GET",
  path: "/v1/conversations",
  role: "agent",
  tag: "Conversations",
  summary: "List conversations",
  query: () =>
    z.object({
      unanswered: queryFlag,
      needs_reply: queryFlag,
      order: z.optional(z.enum(["closing"])),
      platform: z.optional(z.enum(platforms)),
      account_key: z.optional(
        z.string().check(
          z.refine((key) => parseAccountKey(key) !== null, { error: "must be <platform>#<external_id>" }),
          z.meta({
            description: "Percent-encoded: # is %23. An unknown account matches nothing.",
            pattern: `^(${platforms.join("|")})#[!-"$-~]{1,64}$`,
          }),
        ),
      ),
    }),
  scope: "conversations",
  filters: ({ query: { unanswered, needs_reply: isNeeded, order, platform, account_key: accountKey } }) => ({
    unanswered: unanswered || null,
    needsReply: isNeeded || null,
    order,
    platform,
    accountKey,
  }),
  data: () => z.object({ conversations: z.array(conversationSchema()) }),
  handle: async ({ tenant, query, page, now, ports }) => {
    const { unanswered, needs_reply: isNeeded, order, platform = null, account_key: accountKey = null } = query;
    const filter = inboxPredicate({ unanswered, needsReply: isNeeded, platform, accountKey });
    const { position, limit } = page;
    if (order && (!isNeeded || !filter)) return invalidField("order", "needs needs_reply=true");
    const { heads, next } =
      order && filter
        ? await ports.conversations.closingInbox(tenant, { after: position, limit, filter, now })
        : await ports.conversations.inbox(tenant, { before: position, limit, filter, now });
    return { data: { conversations: heads.map((head) => toConversationFields(head, now)) }, next };
  },
});

export const getConversation = endpoint.page({
  operation: "getConversation",
  method: "GET",
  path: "/v1/conversations/{id}",
  role: "agent",
  slashInId: true,
  tag: "Conversations",
  summary: "Get a conversation and its messages",
  query: () => z.object({ include_test: queryFlag }),
  refusals: ["conversation_not_found", "conversation_id_cut"],
  scope: "conversation",
  filters: ({ path, query }) => ({ id: path.id, include_test: query.include_test }),
  data: () => z.object({ conversation: conversationSchema(), messages: z.array(messageSchema()) }),
  handle: async ({ tenant, path, query, page, now, ports }) => {
    const range = { before: page.position, limit: page.limit, includeTest: query.include_test };
    const result = await readConversation(ports, tenant, { conversationId: path.id, ...range }, now);
    if (isRefusal(result)) return result;
    const messages = result.page.rows.map(({ message }) => toMessageResponse(message));
    return { data: { conversation: toConversationFields(result.head, now), messages }, next: result.page.next };
  },
});

export const updateConversation = endpoint.tenant({
  operation: "updateConversation",
  method: "PATCH",
  path: "/v1/conversations/{id}",
  role: "agent",
  slashInId: true,
  liveKeyOnly: true,
  tag: "Conversations",
  summary: "Mark a conversation as done",
  body: () => z.object({ done: z.boolean() }),
  refusals: ["conversation_not_found", "conversation_id_cut"],
  data: () => z.object({ conversation: conversationSchema() }),
  handle: async ({ tenant, path, body, caller, now, ports }) => {
    const request = { conversationId: path.id, done: body.done, scope: caller.scope };
    const head = await setConversationDone(ports, tenant, request, now);
    return isRefusal(head) ? head : { conversation: toConversationFields(head, now) };
  },
});
