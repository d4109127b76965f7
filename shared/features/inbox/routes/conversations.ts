import * as z from "zod/mini";
import { isRefusal } from "#base/kernel/refusals.ts";
import { parseAccountKey, platforms } from "#features/accounts/rules/accounts.ts";
import { queryFlag } from "#http/fields.ts";
import { conversationFields, toConversationFields } from "../events/conversation-fields.ts";
import { readConversation } from "../flows/read-inbox.ts";
import { inboxPredicate } from "../rules/inbox-filter.ts";
import { endpoint } from "./endpoint.ts";
import { messageSchema, toMessageResponse } from "./messages.ts";

const conversationSchema = conversationFields().register(z.globalRegistry, { id: "Conversation" });

export const listConversations = endpoint.page({
  operation: "listConversations",
  method: "GET",
  path: "/v1/conversations",
  role: "agent",
  tag: "Conversations",
  summary: "List conversations, newest message in either direction first",
  description:
    "A filtered page examines at most 200 conversations. It may be short or empty and still return a `next_cursor`.",
  query: z.object({
    unanswered: queryFlag.check(
      z.describe("true: only conversations whose last message is inbound. false (default): all conversations."),
    ),
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
  filters: ({ query: { unanswered, platform, account_key: accountKey } }) => ({
    unanswered: unanswered || null,
    platform,
    accountKey,
  }),
  data: z.object({ conversations: z.array(conversationSchema) }),
  handle: async ({ tenant, query, page, now, ports }) => {
    const { unanswered, platform = null, account_key: accountKey = null } = query;
    const { heads, next } = await ports.conversations.inbox(tenant, {
      before: page.position,
      limit: page.limit,
      filter: inboxPredicate({ unanswered, platform, accountKey }),
      now,
    });
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
  summary: "Get a conversation with its messages, newest first",
  query: z.object({ include_test: queryFlag }),
  refusals: ["conversation_not_found", "conversation_id_cut"],
  scope: "conversation",
  filters: ({ path, query }) => ({ id: path.id, include_test: query.include_test }),
  data: z.object({ conversation: conversationSchema, messages: z.array(messageSchema) }),
  handle: async ({ tenant, path, query, page, now, ports }) => {
    const range = { before: page.position, limit: page.limit, includeTest: query.include_test };
    const result = await readConversation(ports, tenant, { conversationId: path.id, ...range }, now);
    if (isRefusal(result)) return result;
    const messages = result.page.rows.map(({ message }) => toMessageResponse(message));
    return { data: { conversation: toConversationFields(result.head, now), messages }, next: result.page.next };
  },
});
